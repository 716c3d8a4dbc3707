package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/octavo-books/octavo/cmd/envfile"
)

// otherSettings returns the settings that an env file does not name yet, by group: the help of
// each as a comment, and below it its default, commented out.
func otherSettings(env string, app *kong.Application) string {
	var b strings.Builder
	group := ""
	for _, f := range app.Flags {
		if len(f.Envs) == 0 || f.Group == nil || assigns(env, f.Envs[0]) {
			continue
		}
		if f.Group.Title != group {
			group = f.Group.Title
			fmt.Fprintf(&b, "\n# ---- More settings: %s ----\n", group)
		}
		fmt.Fprintf(&b, "\n%s\n#%s=%s\n", wrap(f.Help, "# "), f.Envs[0], envfile.Quote(f.Default))
	}
	return b.String()
}

// commentEach puts the help of a setting above its line unless a comment is there.
func commentEach(env string, app *kong.Application) string {
	help := map[string]string{}
	for _, f := range app.Flags {
		if len(f.Envs) > 0 {
			help[f.Envs[0]], help[f.Envs[0]+"_FILE"] = f.Help, f.Help
		}
	}
	var b strings.Builder
	commented := false
	for line := range strings.Lines(env) {
		name, _, assigns := strings.Cut(strings.TrimPrefix(line, "#"), "=")
		assigns = assigns && help[name] != ""
		if assigns && !commented {
			b.WriteString(wrap(help[name], "# ") + "\n")
		}
		commented = strings.HasPrefix(line, "# ")
		b.WriteString(line)
	}
	return b.String()
}

// assigns reports whether an env file has a line for a setting, commented out or not.
func assigns(env, name string) bool {
	for line := range strings.Lines(env) {
		if strings.HasPrefix(strings.TrimPrefix(line, "#"), name+"=") {
			return true
		}
	}
	return false
}
