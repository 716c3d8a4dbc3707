package web

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-books/octavo/test/must"
)

// entry is the key of a text in a gettext file: its context, if it has one, and the English text.
var entry = regexp.MustCompile(`(?m)^(?:msgctxt .*\n(?:".*\n)*)?msgid .*\n(?:".*\n)*`)

// translatedTwice returns a line for each text that a language has more than once, with the two places.
func translatedTwice(t *testing.T, files fs.FS) (twice []string) {
	t.Helper()
	places := map[string]string{} // by language and key
	for _, name := range must.Get(fs.Glob(files, "translations/*/*.po"))(t) {
		text := string(must.Get(fs.ReadFile(files, name))(t))
		for _, at := range entry.FindAllStringIndex(text, -1) {
			key := strings.ReplaceAll(text[at[0]:at[1]], "\"\n\"", "")
			place := fmt.Sprintf("%s:%d", name, 1+strings.Count(text[:at[0]], "\n"))
			if key == "msgid \"\"\n" { // the header
				continue
			}
			key = path.Dir(name) + " " + key
			if first, ok := places[key]; ok {
				twice = append(twice, fmt.Sprintf("%s repeats the text of %s", place, first))
			}
			places[key] = place
		}
	}
	return twice
}

func TestATextIsTranslatedOnce(t *testing.T) {
	for _, line := range translatedTwice(t, translations) {
		t.Error(line)
	}
	header := "msgid \"\"\nmsgstr \"Language: fr\\n\"\n\n"
	found := translatedTwice(t, fstest.MapFS{
		"translations/fr/a.po": {Data: []byte(header + "msgid \"Sold\"\nmsgstr \"Vendu\"\n\nmsgctxt \"error\"\nmsgid \"Sold\"\nmsgstr \"Déjà vendu\"\n")},
		"translations/fr/b.po": {Data: []byte(header + "msgid \"\"\n\"Sold\"\nmsgstr \"Vendue\"\n\nmsgid \"Bought\"\nmsgstr \"Acheté\"\n")},
		"translations/de/a.po": {Data: []byte(header + "msgid \"Sold\"\nmsgstr \"Verkauft\"\n")},
	})
	if len(found) != 1 || found[0] != "translations/fr/b.po:4 repeats the text of translations/fr/a.po:4" {
		t.Errorf("found %q", found)
	}
}
