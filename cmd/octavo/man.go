package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

// manCommand prints the manual page in roff. It is generated from the same commands and
// settings as the help, so that it is never out of date.
type manCommand struct{}

// BeforeReset prints before the environment is read: the settings of a build machine must
// neither make it fail nor change the page.
func (manCommand) BeforeReset(app *kong.Kong, c terminal.Console) error {
	if err := writeManual(c.Out, app.Model); err != nil {
		return err
	}
	app.Exit(0)
	return nil
}

const manualName = "octavo - auth service, book marketplace and webhook receiver"

const manualEnd = `/etc/octavo/octavo.env
    Settings of the service that the Debian and RPM packages install.
/etc/octavo/private.pem
    The key that signs access tokens.
/var/lib/octavo
    Databases of the service.
`

const manualExit = `0  Success, or an orderly stop after SIGTERM.
1  The command failed.
2  A setting, a flag or an argument was refused.
`

// writeManual writes the whole page: the help of each command as it is printed.
func writeManual(out io.Writer, app *kong.Application) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH OCTAVO 1 %q %q \"Octavo\"\n", config.BuildDay(), "octavo "+config.Version())
	section(&b, "SH", "NAME", manualName)
	section(&b, "SH", "SYNOPSIS", introduction)
	section(&b, "SH", "COMMANDS", "")
	for _, child := range app.Children {
		writeManualCommand(&b, app, child)
	}
	var settings strings.Builder
	printSettings(terminal.Console{Out: &settings}, app)
	section(&b, "SH", "SETTINGS", settings.String())
	section(&b, "SH", "EXIT STATUS", manualExit)
	section(&b, "SH", "FILES", manualEnd)
	_, err := io.WriteString(out, b.String())
	return err
}

// writeManualCommand prints the help of a command and of those below it.
func writeManualCommand(b *strings.Builder, app *kong.Application, command *kong.Node) {
	if command.Hidden {
		return
	}
	var help strings.Builder
	printHelp(terminal.Console{Out: &help}, app, command)
	section(b, "SS", usage(command), help.String())
	for _, child := range command.Children {
		writeManualCommand(b, app, child)
	}
}

// section writes a text below a heading, with its line breaks and blanks.
func section(b *strings.Builder, macro, title, text string) {
	fmt.Fprintf(b, ".%s %s\n.nf\n", macro, roff(title))
	for line := range strings.Lines(text) {
		b.WriteString(roff(strings.TrimRight(line, "\n")) + "\n")
	}
	b.WriteString(".fi\n")
}

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`)

// roff escapes a line so that it contains no macro, escape or typographic character.
func roff(line string) string { return `\&` + roffEscapes.Replace(line) }
