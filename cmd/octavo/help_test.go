package main

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

func TestHelpIsShortAndTheSameForEveryWayToAskForIt(t *testing.T) {
	out, errs, code := octavo(t, nil)
	if lines := strings.Count(out, "\n"); code != 0 || errs != "" || lines > 40 {
		t.Fatalf("code %d, %d lines, %q", code, lines, errs)
	}
	for _, word := range []string{"auth service", "serve", "init", "webhooks", "octavo help settings", "octavo docs", "octavo --version"} {
		if !strings.Contains(out, word) {
			t.Errorf("help does not say %q", word)
		}
	}
	for _, args := range [][]string{{"help"}, {"--help"}, {"-h"}} {
		if same, _, code := octavo(t, map[string]string{"PORT": "abc", "SMTP_URL_FILE": "/none"}, args...); code != 0 || same != out {
			t.Errorf("%v: code %d\n%s", args, code, same)
		}
	}
	if strings.Contains(out, "__complete") || strings.Contains(out, "\x1b") || strings.Contains(out, "--port") {
		t.Errorf("help says too much:\n%s", out)
	}
}

func TestACommandsHelpShowsItsOwnFlagsAlone(t *testing.T) {
	for _, args := range [][]string{{"help", "users", "import"}, {"users", "import", "--help"}} {
		out, _, code := octavo(t, nil, args...)
		if code != 0 || !strings.Contains(out, "--strict") || !strings.Contains(out, "octavo help settings") || strings.Contains(out, "--port") || strings.Contains(out, "--json") {
			t.Errorf("%v: code %d\n%s", args, code, out)
		}
	}
	if out, _, code := octavo(t, nil, "help", "webhooks"); code != 0 || !strings.Contains(out, "redeliver") {
		t.Errorf("code %d\n%s", code, out)
	}
	if out, _, _ := octavo(t, nil, "demo", "--help"); !strings.Contains(out, "--books=N") || !strings.Contains(out, "10000") {
		t.Errorf("no default:\n%s", out)
	}
}

func TestHelpListsEverySettingWithItsFlagDefaultAndMeaning(t *testing.T) {
	out, _, code := octavo(t, map[string]string{"PORT": "abc"}, "help", "settings")
	if code != 0 {
		t.Fatalf("code %d", code)
	}
	for _, name := range []string{
		"OCTAVO_ENV", "HOST", "PORT", "BASE_URL", "DATA_DIR", "DATABASE_URL", "REDIS_URL", "QUEUE_URL", "SMTP_URL", "MAIL_FROM",
		"PUBLIC_KEY", "PRIVATE_KEY", "PREVIOUS_PUBLIC_KEYS", "PREVIOUS_PRIVATE_KEYS", "PREVIOUS_OIDC_KEYS", "NEXT_OIDC_KEY", "REQUIRE_2FA", "ADMIN_SCOPE", "JWT_ISSUER", "JWT_AUDIENCE", "ACCESS_TOKEN_TTL", "BCRYPT_COST",
		"MAX_SESSIONS_PER_USER", "ALLOW_REGISTRATION", "INVITE_URL", "ALLOWED_ORIGINS", "COOKIE_SECURE", "COOKIE_DOMAIN",
		"COOKIE_SAMESITE", "TRUSTED_PROXIES", "WEBHOOK_SECRET", "WEBHOOK_PATH", "WEBHOOK_ADDITIONAL_SECRETS", "MARKET_FEE_BPS",
		"LOG_LEVEL", "LOG_FORMAT", "METRICS_TOKEN", "REQUESTS_PER_SECOND", "LIMIT_SIGN_INS", "LIMIT_STREAMS",
	} {
		if !strings.Contains(out, "\n  "+name+"  --") {
			t.Errorf("%s is not listed", name)
		}
	}
	for _, text := range []string{
		"\nServer\n", "\nLimits, as COUNT/PERIOD\n", "PORT  --port  (default 3000)\n      Port to listen on", "BASE_URL  --base-url=URL\n",
		"10/15m", "600/1m", "1000/1h", "300/1h", "1/1m,5/5h", "--allow-registration",
	} {
		if !strings.Contains(out, text) {
			t.Errorf("help does not list %q", text)
		}
	}
}

func TestAMistypedWordComesBackWithASuggestion(t *testing.T) {
	for said, args := range map[string][]string{
		`did you mean "migrate"?`: {"migrat"},
		`did you mean "users"?`:   {"help", "user"},
		`"list"`:                  {"users", "lst"},
		`"--strict"`:              {"users", "import", "--strickt", "x"},
		`"--data-dir"`:            {"serve", "--datadir=x"},
	} {
		if out, errs, code := octavo(t, nil, args...); code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, said) {
			t.Errorf("%v: code %d, %q, %q", args, code, out, errs)
		}
	}
}

func TestThreeFlagsAndCommandsPrintTheVersion(t *testing.T) {
	want, _, _ := octavo(t, nil, "version")
	for _, text := range []string{"octavo ", "commit ", "go1."} {
		if !strings.Contains(want, text) {
			t.Errorf("no %q in %q", text, want)
		}
	}
	for _, flag := range []string{"--version", "-v"} {
		if out, errs, code := octavo(t, nil, flag); code != 0 || out != want || errs != "" {
			t.Errorf("%s: code %d, %q, %q", flag, code, out, errs)
		}
	}
}

func TestOnlyTerminalsThatAllowColourGetIt(t *testing.T) {
	if text := (terminal.Style{}).Bold("x"); text != "x" {
		t.Errorf("%q", text)
	}
	if text := (terminal.Style{Color: true}).Bold("x"); text != "\x1b[1mx\x1b[0m" {
		t.Errorf("%q", text)
	}
	if terminal.StyleFor(&strings.Builder{}).Color {
		t.Error("a file is coloured")
	}
	tty := openTerminal(t)
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	if !terminal.StyleFor(tty).Color {
		t.Error("a terminal is not coloured")
	}
	t.Setenv("NO_COLOR", "1")
	if terminal.StyleFor(tty).Color {
		t.Error("NO_COLOR is not heeded")
	}
}
