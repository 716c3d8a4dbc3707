package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/octavo-books/octavo/cmd/config"
)

// manCommand prints the manual page in roff. It is generated from the same commands and
// settings as the help, so that it is never out of date.
type manCommand struct{}

// BeforeReset prints before the environment is read: the settings of a build machine must
// neither make it fail nor change the page.
func (manCommand) BeforeReset(app *kong.Kong, c console) error {
	if err := writeManual(c.out, app.Model); err != nil {
		return err
	}
	app.Exit(0)
	return nil
}

const manualIntroduction = `.SH NAME
octavo \- auth service, book marketplace and webhook receiver
.SH SYNOPSIS
.B octavo
.I COMMAND
.RI [ ARGUMENTS ]
.RI [ FLAGS ]
.SH DESCRIPTION
One program with three components: a marketplace on which students sell each other
textbooks, an auth service over GraphQL, and a receiver that verifies, stores and forwards
webhooks. Each works without the others.
.SH COMMANDS
`

const manualEnd = `.SH EXIT STATUS
.TP
.B 0
Success, or an orderly stop after SIGTERM.
.TP
.B 1
The command failed.
.TP
.B 2
A setting, a flag or an argument was refused.
.SH FILES
.TP
.I /etc/octavo/octavo.env
Settings of the service that the Debian and RPM packages install.
.TP
.I /etc/octavo/private.pem
The key that signs access tokens.
.TP
.I /var/lib/octavo
Databases of the service.
.SH EXAMPLES
.TP
.B octavo serve
Serve everything at http://127.0.0.1:3000 with data in ./data.
.TP
.B octavo init /etc/octavo \-\-data\-dir /var/lib/octavo
Write settings and keys for an installation.
.TP
.B octavo serve webhooks \-\-forward \(aqpush=http://127.0.0.1:9000/deploy\(aq
Receive webhooks and forward each push.
.SH SEE ALSO
https://github.com/octavo\-books/octavo
`

// writeManual writes the whole page.
func writeManual(out io.Writer, app *kong.Application) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH OCTAVO 1 %q %q \"Octavo\"\n%s", config.BuildDay(), "octavo "+config.Version(), manualIntroduction)
	for _, child := range app.Children {
		writeManualCommand(&b, child)
	}
	writeManualSettings(&b, app)
	b.WriteString(manualEnd)
	_, err := io.WriteString(out, b.String())
	return err
}

// writeManualCommand describes a command and those below it.
func writeManualCommand(b *strings.Builder, command *kong.Node) {
	if command.Hidden {
		return
	}
	fmt.Fprintf(b, ".SS %s\n%s\n", roff(usage(command)), roff(command.Help))
	for _, p := range command.Positional {
		writeManualEntry(b, p.Summary(), p.Help)
	}
	for _, f := range command.Flags {
		writeManualEntry(b, flagSummary(f), withDefault(f))
	}
	for _, child := range command.Children {
		writeManualCommand(b, child)
	}
}

func writeManualSettings(b *strings.Builder, app *kong.Application) {
	fmt.Fprintf(b, ".SH SETTINGS\n%s\n", roff(aboutSettings))
	group := ""
	for _, f := range app.Flags {
		if len(f.Envs) == 0 || f.Group == nil {
			continue
		}
		if f.Group.Title != group {
			group = f.Group.Title
			fmt.Fprintf(b, ".SS %s\n", roff(group))
		}
		writeManualEntry(b, settingSummary(f), f.Help)
	}
}

func writeManualEntry(b *strings.Builder, name, help string) {
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(name), roff(help))
}

// roff escapes a text so that it contains no macro, escape or typographic character. Its
// lines become one.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`).Replace(strings.Join(strings.Fields(text), " "))
	return `\&` + text
}
