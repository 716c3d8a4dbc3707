package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	documentation "github.com/octavo-books/octavo"
	"github.com/octavo-books/octavo/adapters/markdown"
	"github.com/octavo-books/octavo/domain/typo"
)

// docsCommand prints before the environment is read, so that it works with an invalid setting.
type docsCommand struct {
	Name string `arg:"" optional:"" help:"A page; without it, the list of them." complete:"docs"`
}

// BeforeReset prints the list of pages or one page and ends the program.
func (docsCommand) BeforeReset(app *kong.Kong, ctx *kong.Context, c console) error {
	library, err := markdown.New(documentation.Documents, documentation.Source)
	if err != nil {
		return err
	}
	if names := wordsAfter("docs", ctx.Args); len(names) > 0 {
		err = printDoc(c, library, names[0])
	} else {
		err = listDocs(c, library)
	}
	if err != nil {
		return err
	}
	app.Exit(0)
	return nil
}

func listDocs(c console, library *markdown.Library) error {
	var rows [][2]string
	for _, p := range library.Pages() {
		if !decision(p) {
			rows = append(rows, [2]string{p.Name, p.Title})
		}
	}
	if _, err := fmt.Fprintln(c.out, "The documentation of this version. octavo docs NAME prints a page."); err != nil {
		return err
	}
	printRows(c, "Pages", rows)
	return nil
}

// decision reports whether a page is an ADR, which only the index of its folder lists.
func decision(p markdown.Page) bool { return strings.HasPrefix(p.Name, "adr/") }

func printDoc(c console, library *markdown.Library, name string) error {
	page, ok := library.Find(name)
	if !ok {
		names := docNames(library)
		if meant := meantDoc(strings.ToLower(name), names); meant != "" {
			return fmt.Errorf("docs: no page is called %q, did you mean %q?", name, meant)
		}
		return fmt.Errorf("docs: no page is called %q; the pages are %s", name, strings.Join(names, ", "))
	}
	text, err := library.Terminal(page, c.style.bold)
	if err == nil {
		_, err = fmt.Fprint(c.out, text)
	}
	return err
}

// meantDoc returns the name that begins as the typed one does or, if there is none, the nearest.
func meantDoc(typed string, names []string) string {
	for _, name := range names {
		if strings.HasPrefix(name, typed) {
			return name
		}
	}
	return typo.Nearest(typed, names)
}

// docNames are the names of the pages that the list shows.
func docNames(library *markdown.Library) (names []string) {
	for _, p := range library.Pages() {
		if !decision(p) {
			names = append(names, p.Name)
		}
	}
	return names
}

// completedDocs are the names for completion, which must not fail.
func completedDocs() []string {
	library, err := markdown.New(documentation.Documents, documentation.Source)
	if err != nil {
		return nil
	}
	return docNames(library)
}
