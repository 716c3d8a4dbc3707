package talkingpages

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestOnlyWebAddressesBecomeLinks(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "",
		"no link":                                "no link",
		"see https://a.example/x?y=1&z, please.": "see |<https://a.example/x?y=1&z>|, please.",
		"(http://a.example)\nhttps://b.example":  "(|<http://a.example>|)\n|<https://b.example>",
		"javascript:alert(1)":                    "javascript:alert(1)",
		"data:text/html,x":                       "data:text/html,x",
		"//evil.example ftp://a.example":         "//evil.example ftp://a.example",
		"https://bank.example@evil.example/ ok":  "https://bank.example@evil.example/| ok",
		"https://":                               "https://",
		`https://a.example/"onclick=x`:           `<https://a.example/>|"onclick=x`,
		"https://a.example/<script>":             "<https://a.example/>|<script>",
	} {
		var got []string
		for _, p := range partsOf(text, true) {
			if p.URL != "" {
				p.Text = "<" + p.URL + ">"
			}
			got = append(got, p.Text)
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%q becomes %q, want %q", text, s, want)
		}
		if before := partsOf(text, false); len(before) != 1 || before[0] != (textPart{Text: text}) {
			t.Errorf("before both have written, %q becomes %q", text, before)
		}
	}
}

func TestThePartsOfATextAreTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`((https?://)?[a-z@.:/%,<>" ]{0,8}){0,6}`).Draw(t, "text")
		var all strings.Builder
		for _, p := range partsOf(text, true) {
			all.WriteString(p.Text)
			if p.URL != "" && (p.URL != p.Text || !strings.HasPrefix(p.URL, "http")) {
				t.Fatalf("a link shows %q and leads to %q", p.Text, p.URL)
			}
		}
		if all.String() != text {
			t.Fatal(fmt.Sprintf("%q becomes %q", text, all.String()))
		}
	})
}
