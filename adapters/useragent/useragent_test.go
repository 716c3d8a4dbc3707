package useragent_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/useragent"
	"github.com/octavo-books/octavo/domain/session"
)

func TestBrowserSystemAndDeviceAreParsed(t *testing.T) {
	for text, want := range map[string]session.Device{
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                                  {Browser: "Firefox", OS: "Linux", Model: "Computer"},
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36":                         {Browser: "Chrome", OS: "Windows", Model: "Computer"},
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0":           {Browser: "Edge", OS: "Windows", Model: "Computer"},
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1": {Browser: "Safari", OS: "iOS", Model: "iPhone"},
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15":                   {Browser: "Safari", OS: "macOS", Model: "Computer"},
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36":                         {Browser: "Chrome", OS: "Android", Model: "K"},
		"":  {},
		" ": {},
	} {
		if got := useragent.Parse(text); got != want {
			t.Errorf("%q is parsed as %+v, want %+v", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	f.Add("Mozilla/5.0 (Linux; Android 10; K) Chrome/140.0.0.0")
	f.Add(strings.Repeat("(", 10_000))
	f.Add("\r\nSet-Cookie: x/1")
	f.Fuzz(func(t *testing.T, text string) {
		d := useragent.Parse(text)
		for _, s := range []string{d.Browser, d.OS, d.Model} {
			if len(s) > 60 || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
				t.Fatalf("%q is parsed as %q", text, s)
			}
		}
	})
}
