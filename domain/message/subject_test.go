package message_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/message"
)

func TestASubjectMakesNoLinkOfATitle(t *testing.T) {
	for words, want := range map[string]string{
		"Linear Algebra":                       "Linear Algebra",
		"Win at https://evil.example/x now":    "Win at https evil.example/x now",
		"WWW.evil.example":                     "WWW evil.example",
		"w@ww.evil.example":                    "w ww.evil.example",
		"www.www.evil.example":                 "www www evil.example",
		":/@/":                                 ":/ /",
		"help@evil.example":                    "help evil.example",
		"Node.js, 3rd ed.":                     "Node.js, 3rd ed.",
		"two\r\nBcc: eve@x.edu":                "two Bcc: eve x.edu",
		strings.Repeat("x", 81):                strings.Repeat("x", 79) + "…",
		strings.Repeat("é", 80):                strings.Repeat("é", 80),
		strings.Repeat("x", 78) + " and so on": strings.Repeat("x", 78) + "…",
	} {
		if got := message.SubjectWords(words, message.MaxSubjectWords); got != want {
			t.Errorf("%q becomes %q, want %q", words, got, want)
		}
	}
}

func FuzzSubjectWords(f *testing.F) {
	f.Add("https://www.evil.example/a@b", 80)
	f.Add("w@ww.w://ww.", 10)
	f.Fuzz(func(t *testing.T, s string, n int) {
		got := message.SubjectWords(s, n)
		folded := strings.ToLower(got)
		if strings.Contains(got, "://") || strings.Contains(folded, "www.") || strings.Contains(got, "@") {
			t.Errorf("%q becomes %q", s, got)
		}
		if utf8.RuneCountInString(got) > max(n, 0) || strings.ContainsAny(got, "\r\n") {
			t.Errorf("%q becomes %q, longer than %d", s, got, n)
		}
	})
}
