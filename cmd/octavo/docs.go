package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	documentation "github.com/octavo-books/octavo"
	"github.com/octavo-books/octavo/adapters/markdown"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/typo"
)

// docsCommand prints before the environment is read, so that it works with an invalid setting.
type docsCommand struct {
	Name   []string `arg:"" optional:"" help:"A page, or a section of it as PAGE#ANCHOR; without it, the list of pages." complete:"docs"`
	Search string   `short:"s" placeholder:"WORDS" help:"List the sections that hold these words, best first."`
	Site   string   `placeholder:"DIR" help:"Write all pages as HTML into a folder that any server can serve."`
}

// BeforeReset prints the list of pages or one page and ends the program.
func (docsCommand) BeforeReset(app *kong.Kong, ctx *kong.Context, c terminal.Console) error {
	if slices.ContainsFunc(ctx.Args, func(arg string) bool { return arg == "--help" || arg == "-h" }) {
		return nil // the help of this command
	}
	library, err := markdown.New(documentation.Documents, documentation.Source)
	if err != nil {
		return err
	}
	if err := printDocs(c, library, ctx); err != nil {
		return err
	}
	app.Exit(0)
	return nil
}

// printDocs does what the flags say or, without one, prints the page that is named.
func printDocs(c terminal.Console, library *markdown.Library, ctx *kong.Context) error {
	if words := flagOf(ctx, "search"); words != "" {
		if all := wordsAfter("docs", ctx.Args); slices.Contains(all, words) { // not --search=WORDS
			words = strings.Join(all, " ") // no quotes are needed
		}
		return searchDocs(c, library, words)
	}
	if dir := flagOf(ctx, "site"); dir != "" {
		if err := library.WriteSite(dir); err != nil {
			return err
		}
		_, err := fmt.Fprintf(c.Out, "Wrote the documentation to %s; it begins with index.html.\n", dir)
		return err
	}
	switch names := wordsAfter("docs", ctx.Args); len(names) {
	case 0:
		return listDocs(c, library)
	case 1:
		return printDoc(c, library, names[0])
	default:
		return fmt.Errorf("unexpected argument %s", names[1])
	}
}

// flagOf is the value of a flag on the command line; fields are not filled in yet.
func flagOf(ctx *kong.Context, name string) string {
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == name {
			value, _ := ctx.FlagValue(p.Flag).(string)
			return value
		}
	}
	return ""
}

func searchDocs(c terminal.Console, library *markdown.Library, words string) error {
	found := library.Search(words)
	if len(found) == 0 {
		return fmt.Errorf("docs: no page holds any of the words %q", words)
	}
	for _, f := range found {
		address, title := f.Page.Name, f.Page.Title
		if f.Anchor != "" {
			address, title = address+"#"+f.Anchor, title+": "+f.Title
		}
		if _, err := fmt.Fprintf(c.Out, "%s\n    octavo docs %s\n", title, address); err != nil {
			return err
		}
	}
	return nil
}

func listDocs(c terminal.Console, library *markdown.Library) error {
	var rows [][2]string
	for _, p := range library.Pages() {
		if !decision(p) && !strings.HasPrefix(p.Name, "operations/") {
			rows = append(rows, [2]string{p.Name, p.Title})
		}
	}
	if _, err := fmt.Fprintln(c.Out, "The documentation of this version. octavo docs NAME prints a page."); err != nil {
		return err
	}
	printRows(c, "Pages", rows)
	_, err := fmt.Fprintln(c.Out, "\noctavo docs operations lists a page for each question of operators; octavo docs -s 'rotate key' searches all pages.")
	return err
}

// decision reports whether a page is an ADR, which only the index of its folder lists.
func decision(p markdown.Page) bool { return strings.HasPrefix(p.Name, "adr/") }

func printDoc(c terminal.Console, library *markdown.Library, name string) error {
	name, anchor, part := strings.Cut(name, "#")
	page, ok := library.Find(name)
	if !ok {
		names := docNames(library)
		if meant := meantDoc(strings.ToLower(name), names); meant != "" {
			return fmt.Errorf("docs: no page is called %q, did you mean %q?", name, meant)
		}
		return fmt.Errorf("docs: no page is called %q; the pages are %s", name, strings.Join(names, ", "))
	}
	text, err := library.Source(page, anchor)
	if part && errors.Is(err, markdown.ErrNoSection) {
		return noSection(library, page, anchor)
	}
	if err == nil {
		_, err = c.Out.Write(text)
	}
	return err
}

// noSection is the error for an anchor that a page does not have.
func noSection(library *markdown.Library, page markdown.Page, anchor string) error {
	all, err := library.Anchors(page)
	if err != nil {
		return err
	}
	if meant := meantDoc(strings.ToLower(anchor), all); meant != "" {
		return fmt.Errorf("docs: %s has no section %q, did you mean %q?", page.Name, anchor, page.Name+"#"+meant)
	}
	return fmt.Errorf("docs: %s has no section %q; its sections are %s", page.Name, anchor, strings.Join(all, ", "))
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
