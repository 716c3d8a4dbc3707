package envfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// LoadFirst puts the settings of the first of the files that exists into the environment, unless that has any of
// them: then somebody has chosen other settings. It fails if this user may not read the file.
func LoadFirst(paths ...string) error {
	for _, path := range paths {
		text, err := os.ReadFile(path) //nolint:gosec // the program names the files
		switch {
		case errors.Is(err, fs.ErrPermission):
			return fmt.Errorf("the settings of the service are in %s, which this user may not read", path)
		case err != nil:
			continue
		}
		values := Parse(string(text))
		for name := range values {
			if _, set := os.LookupEnv(name); set {
				return nil
			}
		}
		for name, value := range values {
			_ = os.Setenv(name, value)
		}
		return nil
	}
	return nil
}
