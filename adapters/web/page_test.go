package web

import (
	"testing"

	"github.com/octavo-books/octavo/domain/locale"
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
