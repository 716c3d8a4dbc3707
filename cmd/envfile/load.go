package envfile

import "os"

// LoadFirst puts the settings of the first file that can be read into the environment, unless that has any of
// them: then somebody has chosen other settings.
func LoadFirst(paths ...string) {
	for _, path := range paths {
		text, err := os.ReadFile(path) //nolint:gosec // the program names the files
		if err != nil {
			continue
		}
		values := Parse(string(text))
		for name := range values {
			if _, set := os.LookupEnv(name); set {
				return
			}
		}
		for name, value := range values {
			_ = os.Setenv(name, value)
		}
		return
	}
}
