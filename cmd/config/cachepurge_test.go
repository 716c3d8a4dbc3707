package config_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/settings"
)

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
