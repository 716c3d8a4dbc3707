package text_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/text"
	"pgregory.net/rapid"
)

func TestCaseAndAccentsAreFoldedAway(t *testing.T) {
	for in, want := range map[string]string{
		"Ann-Marie O'Brien": "ann-marie o'brien",
		"ÉMILE":             "emile",
		"E\u0301mile":       "emile",
		"Ödön Straßer":      "odon strasser",
		"STRAẞE":            "strasse",
		"Σίσυφος":           "σισυφοσ",
		"ΣΊΣΥΦΟΣ":           "σισυφοσ",
		"ﬁnance":            "finance",
		"Łukasz Æsøp":       "lukasz aesop",
		"İstanbul":          "istanbul",
		"Ángel\u200b":       "angel",
		"線形 ΆΛΦΑ":           "線形 αλφα",
		"":                  "",
	} {
		if got := text.Fold(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestFoldingIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once := text.Fold(rapid.String().Draw(t, "text"))
		if twice := text.Fold(once); twice != once {
			t.Fatalf("%q becomes %q", once, twice)
		}
	})
}

func TestABlockKeepsItsLinesAndIsCutBetweenCharacters(t *testing.T) {
	for written, want := range map[string]string{
		"":                           "",
		"{\n\t\"a\": 1}":             "{\n\t\"a\": 1}",
		"a\r\nb\rc":                  "a\nb\nc",
		"a\x00b\x1b[2J":              "a\uFFFDb\uFFFD[2J",
		strings.Repeat("€", 5):       "€€€€",
		"\xe2\x82":                   "\uFFFD",
		"12345678901\xe2\x82":        "12345678901",
		"1234567890123":              "123456789012",
		strings.Repeat("\r\n", 20):   strings.Repeat("\n", 12),
		strings.Repeat("\xff", 4000): "\uFFFD",
	} {
		if got := text.Block(written, 12); got != want {
			t.Errorf("%+q becomes %+q, want %+q", written, got, want)
		}
	}
}

func TestABlockIsSafeToStoreWhateverTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		written := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		most := rapid.IntRange(0, 20).Draw(t, "most")
		block := text.Block(written, most)
		hidden := func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }
		if !utf8.ValidString(block) || len(block) > most || strings.ContainsFunc(block, hidden) || text.Block(block, most) != block {
			t.Fatalf("%+q becomes %+q", written, block)
		}
	})
}

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

func TestADigitOfAnyScriptIsRead(t *testing.T) {
	for r, want := range map[rune]rune{'7': '7', '٧': '7', '०': '0', '９': '9', '𝟡': '9', '𝟎': '0', 'x': 'x', '七': '七', '²': '²'} {
		if got := text.Digit(r); got != want {
			t.Errorf("%c is %c, want %c", r, got, want)
		}
	}
}

func TestOnlyOneTakesTheSingular(t *testing.T) {
	for n, want := range map[int]string{0: "0 books", 1: "1 book", 2: "2 books"} {
		if got := text.Count(n, "book", "books"); got != want {
			t.Errorf("%d are %q", n, got)
		}
	}
}

func TestVariablesAreReplacedAndTheFirstMissingOneIsNamed(t *testing.T) {
	values := map[string]string{"A": "a", "B_2": "${A}"}
	for written, want := range map[string][2]string{
		"":               {"", ""},
		"x $A ${} {A} $": {"x $A ${} {A} $", ""},
		"${A}/${B_2}":    {"a/${A}", ""},
		"${A}${C}${D}":   {"a", "C"},
	} {
		if got, missing := text.Expand(written, func(name string) string { return values[name] }); got != want[0] || missing != want[1] {
			t.Errorf("%q becomes %q, missing %q; want %q", written, got, missing, want)
		}
	}
}

func TestALineIsCutBetweenCharacters(t *testing.T) {
	for written, want := range map[string]string{
		"opened":                   "opened",
		"a\x00b":                   "a\uFFFDb",
		"\x1b[2J":                  "\uFFFD[2J",
		"550 no\r\nnot here":       "550 no  no",
		strings.Repeat("€", 4):     "€€€",
		"\xe2\x82":                 "\uFFFD",
		"12345678\xe2\x82":         "12345678",
		"1234567\xe2\x82":          "1234567\uFFFD",
		strings.Repeat("\xff", 40): "\uFFFD",
	} {
		if got := text.Line(written, 10); got != want {
			t.Errorf("%+q becomes %+q, want %+q", written, got, want)
		}
	}
}

func TestALineIsSafeToStoreAndPrintWhateverTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		written := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		most := rapid.IntRange(0, 20).Draw(t, "most")
		line := text.Line(written, most)
		if !utf8.ValidString(line) || len(line) > most || strings.ContainsFunc(line, unicode.IsControl) || text.Line(line, most) != line {
			t.Fatalf("%+q becomes %+q", written, line)
		}
	})
}

func TestHiddenCharactersAreRemoved(t *testing.T) {
	for written, want := range map[string]string{
		"Calculus":                     "Calculus",
		"\u202eslaoG\u202c":            "slaoG",
		"\u2066a\u2067b\u2068c\u2069d": "abcd",
		"\u202aa\u202bb\u202dc":        "abc",
		"\ufeffalge\u00adbra\u200b":    "algebra",
		"a\u2060b\u206ac\U000e0041d":   "abcd",
		"می\u200cخواهم":                "می\u200cخواهم", // Persian needs the non-joiner
		"क्\u200dष":                    "क्\u200dष",     // Devanagari the joiner
		"👩\u200d🔬 ❤\ufe0f":             "👩\u200d🔬 ❤\ufe0f",
		"עברית\u200f!":                 "עברית\u200f!",
		"été\n№":                       "été\n№",
		"a\u202e\xff":                  "a\u202e\xff",
	} {
		if got := text.StripHidden(written); got != want {
			t.Errorf("%+q becomes %+q, want %+q", written, got, want)
		}
	}
}

func TestStrippingHiddenCharactersIsIdempotentAndComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		written := rapid.String().Draw(t, "text")
		plain := text.StripHidden(written)
		if !utf8.ValidString(plain) || text.StripHidden(plain) != plain || len(plain) > len(written) {
			t.Fatalf("%+q becomes %+q", written, plain)
		}
		if strings.ContainsAny(plain, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") {
			t.Fatalf("%+q still changes the direction of text", plain)
		}
	})
}

func TestABlankTextShowsNothing(t *testing.T) {
	for s, want := range map[string]bool{
		"": true, " \t\n\u00a0\u3000": true, "\u200b \u2060": true, "\u3164\u115f\uffa0": true, "\u2800": true, "\u200d\ufe0f": true,
		"x": false, " . ": false, "\u200bé": false, "書": false, "❤\ufe0f": false,
	} {
		if text.Blank(s) != want {
			t.Errorf("%+q: %v", s, !want)
		}
	}
}

func TestATextWithNULOrInvalidUTF8IsNotStorable(t *testing.T) {
	for s, want := range map[string]bool{"": true, "Zoë\n": true, "\uFFFD": true, "a\x00b": false, "a\xff": false, "\xed\xa0\x80": false} {
		if text.Storable(s) != want {
			t.Errorf("%+q: %v", s, !want)
		}
	}
}

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
