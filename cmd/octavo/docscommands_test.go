package main

import (
	"io"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	documents "github.com/octavo-books/octavo"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

var (
	shellBlock = regexp.MustCompile("(?ms)^ *```sh[^\n]*\n(.*?)^ *```$")
	// invoked finds the program in a line, after the variables and programs that may precede it.
	invoked = regexp.MustCompile(`(?:^|[\s;&|(]|\./|bin/|\s/)octavo((?:\s+(?:'[^']*'|"[^"]*"|[^\s#|;&<>()]+))+)`)
	word    = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)
)

// documentedCommands are the lines of the documentation that call the program, by page.
func documentedCommands(t *testing.T) map[string][][]string {
	t.Helper()
	found := map[string][][]string{}
	err := fs.WalkDir(documents.Documents, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".md") || strings.HasPrefix(path, "docs/adr") {
			return err
		}
		text, err := fs.ReadFile(documents.Documents, path)
		for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
			for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
				line, _, _ = strings.Cut(line, " #")
				if strings.Contains(line, "kubectl") { // whose names are others
					_, line, _ = strings.Cut(line, " -- ")
				}
				for _, m := range invoked.FindAllStringSubmatch(line, -1) {
					var args []string
					for _, w := range word.FindAllString(m[1], -1) {
						args = append(args, strings.Trim(w, `'"`))
					}
					found[path] = append(found[path], args)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// parsed reports what the program says of a command line, without running it.
func parsed(args []string) (err error) {
	defer func() {
		if exit, ok := recover().(exited); ok && exit != 0 {
			err = io.ErrUnexpectedEOF
		}
	}()
	var p program
	c := terminal.Console{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}
	parser, err := kong.New(&p, kong.Name("octavo"), kong.Writers(io.Discard, io.Discard), kong.Bind(c), kong.Exit(func(code int) { panic(exited(code)) }))
	if err != nil {
		return err
	}
	_, err = parser.Parse(args)
	return err
}

func TestEveryCommandInTheDocumentationExists(t *testing.T) {
	n := 0
	for path, all := range documentedCommands(t) {
		for _, args := range all {
			if !regexp.MustCompile(`^[a-z]`).MatchString(args[0]) && !strings.HasPrefix(args[0], "-") {
				continue // a path, or a place for something
			}
			n++
			if err := parsed(args); err != nil {
				t.Errorf("%s: octavo %s: %v", path, strings.Join(args, " "), err)
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d commands were found", n)
	}
}
