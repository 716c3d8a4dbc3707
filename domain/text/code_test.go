package text_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/text"
)

func TestACodeIsReadInWideDigitsAndWithHyphens(t *testing.T) {
	for typed, want := range map[string]string{
		"123456": "123456", "123-456": "123456", "123–456": "123456", "123−456": "123456", "１２３４５６": "123456", "１２３　４５６": "123456",
		" 1 2\t3\n4\u00a05\u200b6 ": "123456", "１２３－４５６": "123456", "ＡＢ－ｃｄ": "ABcd", "": "", "-": "",
	} {
		if got := text.Code(typed); got != want {
			t.Errorf("%q is read as %q, want %q", typed, got, want)
		}
	}
}
