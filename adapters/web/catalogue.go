package web

import (
	"embed"
	"fmt"
	"path"

	"github.com/leonelquinteros/gotext"
	"github.com/octavo-books/octavo/domain/user"
)

// The translations are gettext files, so that translators can use the editor that they know.
// Each language has a folder, and each area of the pages a file. The keys are the English
// texts. The key of an error's message is its code in the context "error", and that of a
// notification its kind in the context "notification".
//
//go:embed translations/*/*.po
var translations embed.FS

// Catalogues has the texts of each language but English.
var Catalogues = map[user.Lang]catalogue{user.FR: mustLoadCatalogue("fr")}

// catalogue maps the key of a text to the file that has it. A key in a context is preceded
// by the context and contextMark.
type catalogue map[string]gotext.Translator

const contextMark = "\x04" // as in compiled gettext files

func mustLoadCatalogue(lang string) catalogue {
	c := catalogue{}
	entries, err := translations.ReadDir("translations/" + lang)
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		source, err := translations.ReadFile(path.Join("translations", lang, e.Name()))
		if err != nil {
			panic(err)
		}
		c.add(source)
	}
	return c
}

// add adds the texts of a file. Of a text that is translated twice the last one counts; a test names both.
func (c catalogue) add(source []byte) {
	po := gotext.NewPo()
	po.Parse(source)
	contexts := po.GetDomain().GetCtxTranslations()
	contexts[""] = po.GetDomain().GetTranslations()
	for context, texts := range contexts {
		for id := range texts {
			if id == "" { // the header
				continue
			}
			key := id
			if context != "" {
				key = context + contextMark + id
			}
			c[key] = po
		}
	}
}

// text returns a text, or english if it has no translation.
func (c catalogue) text(english string, args ...any) string {
	s := english
	if po, ok := c[english]; ok {
		s = po.Get(english)
	}
	if len(args) == 0 {
		return s
	}
	return fmt.Sprintf(s, args...)
}

// plural returns the form of a text for n. Without a translation it is one or many.
func (c catalogue) plural(n int, one, many string, args ...any) string {
	s := many
	if n == 1 {
		s = one
	}
	if po, ok := c[one]; ok {
		s = po.GetN(one, many, n)
	}
	return fmt.Sprintf(s, args...)
}

// Lookup returns the text of a key in a context.
func (c catalogue) Lookup(context, id string) (string, bool) {
	po, ok := c[context+contextMark+id]
	if !ok {
		return "", false
	}
	return po.GetC(id, context), true
}
