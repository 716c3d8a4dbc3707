package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

const introduction = `Octavo is an auth service, a book marketplace and a webhook receiver:
one program, and each of the three works without the others.

Usage: octavo COMMAND [ARGUMENTS] [FLAGS]
`

const moreHelp = `
octavo help COMMAND    what a command takes
octavo help settings   all settings: environment variables, each also a flag
octavo docs            the documentation: guides, recipes and decisions
octavo --version       the version
`

// helpCommand prints before the environment is read, so that it works with an invalid setting.
type helpCommand struct {
	Topic []string `arg:"" optional:"" help:"A command, or settings." complete:"settings"`
}

// BeforeReset prints the help and ends the program.
func (helpCommand) BeforeReset(app *kong.Kong, ctx *kong.Context, c terminal.Console) error {
	topic := wordsAfter("help", ctx.Args)
	if slices.Equal(topic, []string{"settings"}) {
		printSettings(c, app.Model)
		app.Exit(0)
	}
	about, err := kong.Trace(app, topic)
	if err != nil {
		return err
	}
	if about.Error != nil {
		return about.Error
	}
	printHelp(c, app.Model, about.Selected())
	app.Exit(0)
	return nil
}

// wordsAfter returns the words after a command, without flags.
func wordsAfter(command string, args []string) []string {
	words := args[slices.Index(args, command)+1:]
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "-") })
}

// printHelp prints the help of a command; nil is the program.
func printHelp(c terminal.Console, app *kong.Application, command *kong.Node) {
	if command == nil {
		_, _ = io.WriteString(c.Out, introduction)
		printCommands(c, app.Node, "Commands")
		_, _ = io.WriteString(c.Out, moreHelp)
		return
	}
	_, _ = fmt.Fprintf(c.Out, "Usage: %s\n\n%s\n", usage(command), wrap(command.Help, ""))
	printCommands(c, command, "Commands")
	var rows [][2]string
	for _, p := range command.Positional {
		rows = append(rows, [2]string{p.Summary(), p.Help})
	}
	printRows(c, "Arguments", rows)
	rows = nil
	for _, f := range command.Flags {
		rows = append(rows, [2]string{flagSummary(f), withDefault(f)})
	}
	printRows(c, "Flags", rows)
	_, _ = fmt.Fprintln(c.Out, "\nSettings are environment variables, each also a flag: octavo help settings")
}

func usage(command *kong.Node) string {
	words := []string{command.Path()}
	for _, p := range command.Positional {
		words = append(words, p.Summary())
	}
	switch {
	case len(command.Children) > 0:
		words = append(words, "COMMAND")
	case len(command.Flags) > 0:
		words = append(words, "[FLAGS]")
	}
	return "octavo " + strings.TrimPrefix(strings.Join(words, " "), "octavo ")
}

func printCommands(c terminal.Console, of *kong.Node, title string) {
	var rows [][2]string
	for _, child := range of.Children {
		if !child.Hidden {
			rows = append(rows, [2]string{child.Name, child.Help})
		}
	}
	printRows(c, title, rows)
}

// printRows prints a table of two columns, the second wrapped.
func printRows(c terminal.Console, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	_, _ = fmt.Fprintf(c.Out, "\n%s\n", c.Style.Bold(title+":"))
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		_, _ = fmt.Fprintf(w, "  %s\t%s\n", row[0], row[1])
	}
	_ = w.Flush()
}

// flagSummary returns the flag as one types it.
func flagSummary(f *kong.Flag) string {
	if f.IsBool() {
		return "--" + f.Name
	}
	return "--" + f.Name + "=" + f.FormatPlaceHolder()
}

// withDefault returns the help of a flag with its default, unless the help names it.
func withDefault(f *kong.Flag) string {
	if !f.HasDefault || f.Default == "" || strings.Contains(f.OrigHelp, "${default}") {
		return f.Help
	}
	return f.Help + " Default: " + f.Default + "."
}

// wrap breaks a text into lines of 80 characters, each with the indent.
func wrap(text, indent string) string {
	var lines []string
	line := indent
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > 80 && line != indent {
			lines, line = append(lines, line), indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n")
}
