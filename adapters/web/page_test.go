package web

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/test/must"
)

func TestEveryTemplateParsesInEveryLanguage(t *testing.T) {
	for _, lang := range languages {
		for name, read := range new(Pages).templatesIn(locale.Format{Lang: lang}) {
			if _, err := read(); err != nil {
				t.Errorf("%s in %s: %v", name, lang, err)
			}
		}
	}
}

// What a page changes of a component without looking at all its states shows there.
func TestEveryComponentIsShownInDevelopment(t *testing.T) {
	page, err := files.ReadFile("templates/components.html")
	if err != nil {
		t.Fatal(err)
	}
	components, err := fs.Glob(files, "templates/components/*.html")
	if err != nil || len(components) < 15 {
		t.Fatal(components, err)
	}
	for _, file := range components {
		text, err := files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		shown := false
		for _, found := range regexp.MustCompile(`\{\{define "([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
			shown = shown || strings.Contains(string(page), `template "`+found[1]+`"`)
		}
		if !shown {
			t.Errorf("/dev/components does not show %s", file)
		}
	}
}

func TestAllScriptsTogetherAreSmallOnTheirWay(t *testing.T) {
	scripts, err := fs.Glob(files, "static/*.js")
	if err != nil || len(scripts) < 5 {
		t.Fatal(scripts, err)
	}
	var sent bytes.Buffer
	for _, script := range scripts {
		text, err := files.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		w := gzip.NewWriter(&sent)
		_, err = w.Write(text)
		must.Do(t, errors.Join(err, w.Close()))
	}
	if sent.Len() > 30<<10 {
		t.Errorf("%d bytes", sent.Len())
	}
}
