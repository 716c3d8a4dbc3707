package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
)

func TestProfilesAreServedOnLoopbackAddressesOnly(t *testing.T) {
	for address, good := range map[string]bool{
		"": true, "127.0.0.1:6060": true, "[::1]:6060": true, "localhost:6060": true,
		"0.0.0.0:6060": false, ":6060": false, "192.0.2.1:6060": false, "6060": false,
	} {
		s := settings.Default(t)
		s.Monitoring.PprofAddr = address
		if err := s.Validate(); (err == nil) != good || err != nil && !errors.Is(err, config.ErrSetting) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestEachForwardSettingHoldsAnyNumberOfRules(t *testing.T) {
	s := settings.Default(t)
	s.Webhooks.Forward = []string{"push=http://127.0.0.1:1/,issues=http://127.0.0.1:2/?a=1,2\n*=http://127.0.0.1:3/", "ping=http://127.0.0.1:4/"}
	rules, err := s.ForwardingRules()
	if err != nil || len(rules) != 4 || rules[1].URL != "http://127.0.0.1:2/?a=1,2" || rules[3].Match != "ping" {
		t.Errorf("read %+v, %v", rules, err)
	}
}

func TestOperatorsSeeOnlyTheCauseOfAnError(t *testing.T) {
	sentence := fault.New(fault.Unavailable, "unavailable", "Please come back.")
	if got := config.OneLine(fmt.Errorf("open: %w: %w", sentence, errors.New("no such\n host"))); got != "open: no such host" {
		t.Errorf("the operator sees %q, want \"open: no such host\"", got)
	}
	if got := config.OneLine(sentence); got != "Please come back." {
		t.Errorf("the operator sees %q, want \"Please come back.\"", got)
	}
}

func TestTheNameOfTheServiceAndItsAddressAreChecked(t *testing.T) {
	for name, good := range map[string]bool{
		"Campus Books": true, "Bücher & Co": true, "": false, " ": false, " Books": false, "two\nlines": false, "a\u202eb": false, strings.Repeat("é", 61): false,
	} {
		s := settings.Default(t)
		s.Server.ServiceName = name
		if err := s.Validate(); (err == nil) != good || err != nil && !strings.Contains(err.Error(), "SERVICE_NAME") {
			t.Errorf("%q: %v", name, err)
		}
	}
	for address, good := range map[string]bool{"": true, "help@example.edu": true, "help": false, "Help <help@example.edu>": false, "a@b.edu\r\nBcc: x@y.edu": false} {
		s := settings.Default(t)
		s.Mail.SupportMail = address
		if err := s.Validate(); (err == nil) != good || err != nil && !strings.Contains(err.Error(), "SUPPORT_MAIL") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestAnAccentColourThatWhiteTextCannotBeReadOnIsRefused(t *testing.T) {
	for colour, good := range map[string]bool{"": true, "#14507a": true, "#8A1538": true, "#ffcc00": false, "green": false, "#fff": false} {
		s := settings.Default(t)
		s.Server.AccentColor = colour
		if err := s.Validate(); (err == nil) != good || err != nil && !strings.Contains(err.Error(), "ACCENT_COLOR") {
			t.Errorf("%q: %v", colour, err)
		}
	}
}

func TestMailTemplatesThatCannotBeReadAreNamed(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"en/odd.tmpl": "Subject: x", "fr/verification.tmpl": strings.Repeat("x", 65<<10)} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
		s := settings.Default(t)
		s.Mail.MailTemplates = dir
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "MAIL_TEMPLATES") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		must.Do(t, os.Remove(path))
	}
	s := settings.Default(t)
	if s.Mail.MailTemplates = filepath.Join(dir, "none"); s.Validate() == nil {
		t.Error("a folder that does not exist is accepted")
	}
}

func TestBooksChangeHandsInOneOfThreeWays(t *testing.T) {
	for value, good := range map[string]bool{"desk": true, "meet": true, "both": true, "": false, "Meet": true, "park": false} {
		s := settings.Default(t)
		s.Market.Handover = value
		if err := s.Validate(); (err == nil) != good || err != nil && !strings.Contains(err.Error(), "HANDOVER") {
			t.Errorf("%q: %v, want valid = %v", value, err, good)
		}
	}
}

func TestTheStandbyNeedsAPrimaryOnPostgresAndABound(t *testing.T) {
	const primary, standby = "postgres://octavo@db/octavo", "postgres://octavo@standby/octavo"
	for _, c := range []struct {
		database, read string
		lag            time.Duration
		want           string // the setting that the error names; empty: none
	}{
		{primary, standby, 2 * time.Second, ""},
		{primary, "", 2 * time.Second, ""},
		{primary, standby, 100 * time.Millisecond, ""},
		{primary, standby, 5 * time.Minute, ""},
		{"", standby, 2 * time.Second, "DATABASE_READ_URL"},
		{primary, "sqlite:octavo.db", 2 * time.Second, "DATABASE_READ_URL"},
		{primary, "standby", 2 * time.Second, "DATABASE_READ_URL"},
		{primary, "postgres://octavo@one,two/octavo", 2 * time.Second, "DATABASE_READ_URL"},
		{primary, "postgres://octavo@one:5432,two:5432/octavo", 2 * time.Second, "DATABASE_READ_URL"},
		{primary, standby, 0, "READ_MAX_LAG"},
		{primary, "", time.Hour, "READ_MAX_LAG"},
	} {
		s := settings.Default(t)
		s.Storage.DatabaseURL, s.Storage.DatabaseReadURL, s.Storage.ReadMaxLag = c.database, c.read, c.lag
		if err := s.Validate(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
