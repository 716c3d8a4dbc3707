package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

type mailCommand struct {
	Templates mailTemplatesCommand `cmd:"" help:"Write the built-in templates of the mails to a folder, to be edited for MAIL_TEMPLATES."`
}

type mailTemplatesCommand struct {
	Dir string `arg:"" help:"The folder, created if necessary."`
}

// Run writes the templates. It never overwrites: if one of the files exists, it writes
// none.
func (m mailTemplatesCommand) Run(c terminal.Console) error {
	files := mailer.TemplateFiles()
	contents := make([]newFile, 0, len(files))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		contents = append(contents, newFile{filepath.Join(m.Dir, filepath.FromSlash(name)), files[name]})
	}
	if err := writeNew(contents); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Out, `%d templates are in %s.
Edit those that you want to change and delete the others, then start with MAIL_TEMPLATES=%s.
docs/mail.md explains what a template may use.
`, len(files), m.Dir, m.Dir)
	return err
}
