package text_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/text"
)

func TestHiddenCharactersBecomeVisible(t *testing.T) {
	for given, want := range map[string]string{
		"plain, é, 👩‍🚀\n\tand tabs": "plain, é, 👩‍🚀\n\tand tabs",
		"\u202egnp.exe":             `\u202egnp.exe`,
		"a\x00b\x7f\u009b":          `a\u0000b\u007f\u009b`,
		"\U000e0041":                `\udb40\udc41`,
		"\xff":                      `\ufffd`,
		"":                          "",
	} {
		if got := text.Visible(given); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
}
