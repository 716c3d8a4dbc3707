package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/webhook"
)

//go:embed completions
var completionScripts embed.FS

// completionCommand prints scripts that call __complete of the installed program, so that they
// never need an update.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"bash, zsh, fish or powershell."`
}

// Run prints the script.
func (s completionCommand) Run(c terminal.Console) error {
	script, err := completionScripts.ReadFile("completions/octavo." + s.Shell)
	if err != nil {
		return err
	}
	_, err = c.Out.Write(script)
	return err
}

// completeCommand prints the completions of the last word, one a line, each with its meaning
// after a tab. Shells call it as octavo __complete -- WORDS.
type completeCommand struct {
	Words []string `arg:"" optional:""`
}

// BeforeReset prints before the environment is read, so that it works with an invalid setting.
//
//nolint:unparam // the signature is kong's
func (completeCommand) BeforeReset(app *kong.Kong, ctx *kong.Context, c terminal.Console) error {
	words := ctx.Args[slices.Index(ctx.Args, "__complete")+1:]
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	for _, found := range complete(app.Model.Node, words) {
		_, _ = fmt.Fprintf(c.Out, "%s\t%s\n", found.word, found.help)
	}
	app.Exit(0)
	return nil
}

type candidate struct{ word, help string }

// complete returns the completions of the last word. None means a file name.
func complete(root *kong.Node, words []string) []candidate {
	words = withoutEquals(words)
	if len(words) == 0 {
		words = []string{""}
	}
	typed := strings.Trim(words[len(words)-1], `"`)
	node, value, argument := position(root, words[:len(words)-1])
	var all []candidate
	switch name, _, given := strings.Cut(typed, "="); {
	case value != nil:
		all = valuesOf(value, "")
	case given && flagNamed(node, name) != nil:
		all = valuesOf(flagNamed(node, name).Value, name+"=")
	case strings.HasPrefix(typed, "-"):
		all = flagsOf(node)
	default:
		all = append(commandsOf(node), argumentsOf(node, argument)...)
	}
	return slices.DeleteFunc(all, func(c candidate) bool { return !strings.HasPrefix(c.word, typed) })
}

// withoutEquals drops the =, which bash passes as a separate word.
func withoutEquals(words []string) []string {
	words = slices.Clone(words)
	for i, word := range words {
		if word == "=" && i < len(words)-1 {
			return slices.Delete(words, i, i+1)
		}
		if word == "=" {
			words[i] = ""
		}
	}
	return words
}

// position walks the words before the last. It returns the command that they select, the
// flag whose value comes next, if any, and the number of arguments before.
func position(root *kong.Node, words []string) (node *kong.Node, value *kong.Value, argument int) {
	node = root
	for i := 0; i < len(words); i++ {
		flag := flagNamed(node, words[i])
		child := childNamed(node, words[i])
		switch {
		case flag != nil && !flag.IsBool():
			if i++; i == len(words) {
				return node, flag.Value, argument
			}
		case strings.HasPrefix(words[i], "-"):
		case child != nil:
			node, argument = child, 0
		default:
			argument++
		}
	}
	return node, nil, argument
}

func flagNamed(node *kong.Node, word string) *kong.Flag {
	for n := node; n != nil; n = n.Parent {
		for _, f := range n.Flags {
			if "--"+f.Name == word {
				return f
			}
		}
	}
	return nil
}

func childNamed(node *kong.Node, word string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == word {
			return child
		}
	}
	return nil
}

func commandsOf(node *kong.Node) (all []candidate) {
	for _, child := range node.Children {
		if !child.Hidden {
			all = append(all, candidate{child.Name, child.Help})
		}
	}
	return all
}

// flagsOf returns the command's own flags and then the settings.
func flagsOf(node *kong.Node) (all []candidate) {
	for n := node; n != nil; n = n.Parent {
		for _, f := range n.Flags {
			word := "--" + f.Name
			if !f.IsBool() {
				word += "="
			}
			all = append(all, candidate{word, f.Help})
		}
	}
	return all
}

// argumentsOf returns the values of the argument at the position; the last one may repeat.
func argumentsOf(node *kong.Node, argument int) []candidate {
	last := len(node.Positional) - 1
	if last < 0 || argument > last && !node.Positional[last].IsSlice() {
		return nil
	}
	return valuesOf(node.Positional[min(argument, last)], "")
}

// valuesOf returns the values of an enum, or those in the tag complete.
func valuesOf(v *kong.Value, prefix string) (all []candidate) {
	words := strings.Split(v.Enum+","+v.Tag.Get("complete"), ",")
	switch v.Tag.Get("complete") {
	case "events":
		words = nil
		for _, name := range webhook.EventNames() {
			words = append(words, string(name))
		}
	case "docs":
		words = completedDocs()
	}
	if v.IsBool() {
		words = []string{"true", "false"}
	}
	for _, word := range words {
		if word != "" {
			all = append(all, candidate{prefix + word, v.Help})
		}
	}
	return all
}
