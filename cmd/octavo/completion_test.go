package main

import (
	"strings"
	"testing"
)

func TestCompletionKnowsCommandsFlagsAndValues(t *testing.T) {
	for typed, want := range map[string]string{
		"us":                         "users",
		"users ":                     "promote owner list reset-2fa find export delete deleted suspend break-glass import",
		"users promote x --ro":       "--role=",
		"users promote x --role ":    "user admin owner",
		"users promote x --role=ad":  "--role=admin",
		"users promote x --role = a": "admin", // bash splits at the =
		"serve ma":                   "market mailer",
		"serve market we":            "webhooks",
		"--env dev":                  "development",
		"--data-dir ":                "",
		"serve --data-d":             "--data-dir=",
		"completion po":              "powershell",
		"docs recipes/ve":            "recipes/verify-token",
		"webhooks send issues.ope":   "issues.opened",
		"users import --str":         "--strict",
		"users import ":              "", // a file
		"__com":                      "",
	} {
		words := strings.Split(typed, " ")
		out, errs, code := octavo(t, map[string]string{"PORT": "abc"}, append([]string{"__complete", "--"}, words...)...)
		var got []string
		for line := range strings.Lines(out) {
			word, _, _ := strings.Cut(line, "\t")
			got = append(got, strings.TrimSpace(word))
		}
		if strings.Join(got, " ") != want || code != 0 || errs != "" {
			t.Errorf("%q: %q, not %q (code %d, %q)", typed, got, want, code, errs)
		}
	}
}

func TestEveryShellHasAScript(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out, _, code := octavo(t, nil, "completion", shell); code != 0 || !strings.Contains(out, "octavo __complete --") {
			t.Errorf("%s: code %d\n%s", shell, code, out)
		}
	}
	if _, errs, code := octavo(t, nil, "completion", "csh"); code != 2 || !strings.Contains(errs, "csh") {
		t.Errorf("csh: code %d, %q", code, errs)
	}
}
