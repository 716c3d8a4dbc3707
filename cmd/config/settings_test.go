package config_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/retention"
	"github.com/octavo-books/octavo/domain/user"
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

func TestTheHelpFollowsTheWayInWhichBooksChangeHands(t *testing.T) {
	for mode, want := range map[string][2]bool{"desk": {true, false}, "meet": {false, true}, "both": {true, true}} {
		s := settings.Default(t)
		s.Market.Handover = mode
		texts := must.Get(s.Texts(true))(t)
		for lang, words := range map[user.Lang][2]string{user.EN: {"our staff check", "show the code"}, user.FR: {"notre équipe", "montrez le code"}} {
			body := string(texts["help"].InLang[lang].Main)
			if got := [2]bool{strings.Contains(body, words[0]), strings.Contains(body, words[1])}; got != want {
				t.Errorf("%s in %s: desk and meeting are %v, want %v", mode, lang, got, want)
			}
		}
	}
}

func TestSubdomainsGetHSTSOnlyBelowADomainWithHTTPS(t *testing.T) {
	for base, good := range map[string]bool{
		"https://books.example": true, "https://books.example.edu:8443": true,
		"": false, "http://books.example": false, "https://localhost": false, "https://192.0.2.1": false, "https://[2001:db8::1]": false,
	} {
		s := settings.Default(t)
		s.Server.BaseURL, s.Server.HSTSSubdomains = base, true
		if err := s.Validate(); (err == nil) != good || err != nil && !errors.Is(err, config.ErrSetting) {
			t.Errorf("%q: %v", base, err)
		}
	}
}

func TestTheLeastPriceOfASaleFollowsTheCurrency(t *testing.T) {
	for _, c := range []struct {
		currency, price string
		want            money.Amount
		ok              bool
	}{
		{"USD", "5.00", 500, true}, {"JPY", "5.00", 5, true}, {"KWD", "5.00", 5000, true}, {"JPY", "500", 500, true},
		{"USD", "0", 0, true}, {"USD", "$7,50", 750, true}, {"EUR", "7,50 €", 750, true}, {"USD", "7,50 €", 0, false}, {"USD", "five", 0, false}, {"JPY", "5.50", 0, false}, {"USD", "-1", 0, false},
	} {
		s := settings.Default(t)
		s.Market.Currency, s.Market.ReportMinPrice = c.currency, c.price
		if err := s.Validate(); (err == nil) != c.ok || s.ReportMinPrice() != c.want {
			t.Errorf("%s %s is %d, %v", c.price, c.currency, s.ReportMinPrice(), err)
		}
	}
}

func TestAFullDiskIsNoMistakeInASetting(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EIO, syscall.ENOTCONN} {
		err := config.FileError("DATA_DIR", &fs.PathError{Op: "mkdir", Path: "/data", Err: cause})
		if errors.Is(err, config.ErrSetting) || err.Error() != "DATA_DIR: mkdir /data: "+cause.Error() {
			t.Errorf("%v: %v", cause, err)
		}
	}
	for _, cause := range []error{syscall.EACCES, syscall.ENOTDIR, syscall.ENOENT, syscall.EROFS} {
		must.Refuse(t, config.FileError("DATA_DIR", &fs.PathError{Op: "mkdir", Path: "/data", Err: cause}), config.ErrSetting, cause)
	}
}

func TestACacheThatCannotBePurgedIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		url, token, format string
		want               string // empty: allowed
	}{
		"none":                     {"", "", "varnish", ""},
		"Varnish":                  {"http://127.0.0.1:6082", "", "varnish", ""},
		"Varnish with a token":     {"http://10.0.0.7:6082", "hidden", "varnish", ""},
		"Fastly":                   {"https://api.fastly.com/service/1/purge", "hidden", "fastly", ""},
		"a token and no URL":       {"", "hidden", "fastly", "CACHE_PURGE_TOKEN"},
		"no scheme":                {"127.0.0.1:6082", "", "varnish", "CACHE_PURGE_URL"},
		"another cache":            {"http://127.0.0.1:6082", "", "squid", "CACHE_PURGE_FORMAT"},
		"Cloudflare without token": {"https://api.cloudflare.com/client/v4/zones/1/purge_cache", "", "cloudflare", "CACHE_PURGE_TOKEN"},
	} {
		s := settings.Default(t)
		s.Server.CachePurgeURL, s.Server.CachePurgeToken, s.Server.CachePurgeFormat = c.url, c.token, c.format
		err := s.Validate()
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, config.ErrSetting) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hidden")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A standby may fill the cache with the old state until then.
func TestTheSecondPurgeComesWhenAStandbyHasTheChange(t *testing.T) {
	var s config.Settings
	s.Storage.ReadMaxLag = 5 * time.Second
	if got := s.CachePurgeAgain(); got != 2*time.Second {
		t.Errorf("without a standby: after %v", got)
	}
	s.Storage.DatabaseReadURL = "postgres://standby/octavo"
	if got := s.CachePurgeAgain(); got != 7*time.Second {
		t.Errorf("with a standby: after %v", got)
	}
}

func TestThePrivacyPageListsWhatIsKeptInEachLanguage(t *testing.T) {
	for market, kept := range map[bool][]retention.Record{false: authrooms.Kept(), true: slices.Concat(authrooms.Kept(), rooms.Kept())} {
		s := settings.Default(t)
		texts := must.Get(s.Texts(market))(t)["privacy"]
		for lang, page := range texts.InLang {
			if rows := strings.Count(string(page.Main), "<tr>"); rows < len(kept) {
				t.Errorf("%s has %d rows for %d kinds of data", lang, rows, len(kept))
			}
		}
		french := string(texts.InLang[user.FR].Main)
		for _, r := range kept {
			for _, text := range []string{r.What, r.Why, r.HowLong, r.Where} {
				if text == "" || strings.Contains(french, ">"+text+"<") {
					t.Errorf("%q is English only", text)
				}
			}
		}
	}
}

func TestTheLogHasAddressesAsFarAsTheOperatorWants(t *testing.T) {
	for value, want := range map[string]string{
		"full": "ip=192.0.2.77 ip=2001:db8:1:2::3", "short": "ip=192.0.2.0 ip=2001:db8:1::", "none": "msg=request\n",
	} {
		s := settings.Default(t)
		s.Monitoring.LogAddresses, s.Monitoring.LogFormat = value, "text"
		must.Do(t, s.Validate())
		var log bytes.Buffer
		s.NewLogger(&log).Info("request", "ip", "192.0.2.77", "ip", "2001:db8:1:2::3")
		if !strings.Contains(log.String(), want) {
			t.Errorf("%s: %s", value, log.String())
		}
	}
}

func TestThePageAboutAccessibilityNamesTheVersionThatChecksIt(t *testing.T) {
	lists := must.Get(filepath.Glob("../../test/tools/npm/*.txt"))(t)
	var all strings.Builder
	for _, path := range lists {
		all.Write(must.Get(os.ReadFile(path))(t))
	}
	for _, market := range []bool{false, true} {
		s := settings.Default(t)
		for lang, page := range must.Get(s.Texts(market))(t)["accessibility"].InLang {
			_, after, _ := strings.Cut(string(page.Main), "axe-core ")
			version, _, _ := strings.Cut(after, ":")
			version = strings.TrimSpace(version)
			if version == "" || !strings.Contains(all.String(), "axe-core "+version+" ") {
				t.Errorf("%s names axe-core %q", lang, version)
			}
		}
	}
}
