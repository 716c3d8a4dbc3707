package main

import (
	"fmt"

	"github.com/alecthomas/kong"
)

const aboutSettings = `Settings are environment variables; each is also a flag, which overrides the variable.
A secret may be read from a file with NAME_FILE=path. Lists are separated by commas.
`

// printSettings lists every setting by group: name, flag, default and meaning.
func printSettings(c console, app *kong.Application) {
	_, _ = fmt.Fprint(c.out, aboutSettings)
	group := ""
	for _, f := range app.Flags {
		if len(f.Envs) == 0 || f.Group == nil {
			continue
		}
		if f.Group.Title != group {
			group = f.Group.Title
			_, _ = fmt.Fprintf(c.out, "\n%s\n", c.style.bold(group))
		}
		_, _ = fmt.Fprintf(c.out, "  %s\n%s\n", settingSummary(f), wrap(f.Help, "      "))
	}
}

// settingSummary returns the name, the flag and the default.
func settingSummary(f *kong.Flag) string {
	summary := f.Envs[0] + "  --" + f.Name
	switch {
	case f.Tag.Negatable != "":
		summary += ", --no-" + f.Name
	case !f.HasDefault && f.PlaceHolder != "":
		summary += "=" + f.PlaceHolder
	}
	if f.HasDefault {
		summary += "  (default " + f.Default + ")"
	}
	return summary
}
