package web

import "testing"

func TestEveryTemplateParsesInEveryLanguage(t *testing.T) {
	for _, lang := range languages {
		for name, read := range templatesIn(lang, nil) {
			if _, err := read(); err != nil {
				t.Errorf("%s in %s: %v", name, lang, err)
			}
		}
	}
}
