package config_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/fault"
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
		t.Errorf("told %q", got)
	}
	if got := config.OneLine(sentence); got != "Please come back." {
		t.Errorf("told %q", got)
	}
}
