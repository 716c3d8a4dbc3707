package main

import (
	"fmt"

	"github.com/alecthomas/kong"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

const aboutSettings = `Settings are environment variables; each is also a flag, which overrides the variable.
A secret may be read from a file with NAME_FILE=path. Lists are separated by commas.
`

// printSettings lists every setting by group: name, flag, default and meaning.
func printSettings(c terminal.Console, app *kong.Application) {
	_, _ = fmt.Fprint(c.Out, aboutSettings)
	group := ""
	for _, f := range app.Flags {
		if len(f.Envs) == 0 || f.Group == nil {
			continue
		}
		if f.Group.Title != group {
			group = f.Group.Title
			_, _ = fmt.Fprintf(c.Out, "\n%s\n", c.Style.Bold(group))
		}
		_, _ = fmt.Fprintf(c.Out, "  %s\n%s\n", settingSummary(f), wrap(f.Help, "      "))
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
