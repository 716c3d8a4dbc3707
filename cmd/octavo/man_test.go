package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestTheManualPageContainsTheHelp(t *testing.T) {
	page, errs, code := octavo(t, map[string]string{"PORT": "abc"}, "man")
	if code != 0 || errs != "" {
		t.Fatalf("code %d, %q", code, errs)
	}
	plain := strings.NewReplacer(`\-`, "-", `\&`, "", `\(aq`, "'").Replace(page)
	help, _, _ := octavo(t, nil, "help")
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+)  `).FindAllStringSubmatch(help, -1) {
		if !strings.Contains(plain, "\n.SS octavo "+m[1]) {
			t.Errorf("the page does not name the command %s", m[1])
		}
	}
	settings, _, _ := octavo(t, nil, "help", "settings")
	for _, m := range regexp.MustCompile(`(?m)^  ([A-Z].*)$`).FindAllStringSubmatch(settings, -1) {
		if !strings.Contains(plain, "\n  "+m[1]+"\n") {
			t.Errorf("the page does not name the setting %s", m[1])
		}
	}
	for _, text := range []string{"octavo users import", "--strict", "Migrate the database's schema"} {
		if !strings.Contains(plain, text) {
			t.Errorf("the page does not say %q", text)
		}
	}
	if strings.Contains(plain, "__complete") {
		t.Error("the page names an internal command")
	}
}

func TestNoTextOfTheManualPageBecomesAMacro(t *testing.T) {
	page, _, _ := octavo(t, nil, "man")
	macro := regexp.MustCompile(`^\.(TH|SH|SS|nf|fi)( |$)`)
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !macro.MatchString(strings.TrimSpace(line)) {
			t.Errorf("%q", line)
		}
	}
	for text, want := range map[string]string{
		".TH is a macro": `\&.TH is a macro`,
		"'tis":           `\&\(aqtis`,
		`C:\data`:        `\&C:\edata`,
		"--flag":         `\&\-\-flag`,
	} {
		if got := roff(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}
