package doctor

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/octavo-books/octavo/adapters/outbound"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/settings"
)

func TestTheDoctorConnectsToTheTargetsOfRules(t *testing.T) {
	up, down := httptest.NewServer(nil), httptest.NewServer(nil)
	t.Cleanup(up.Close)
	down.Close()
	s := settings.Default(t)
	says(t, checkRules(t.Context(), &s, config.All), ok, "none", "")
	s.Webhooks.Forward = []string{"push=" + up.URL + "/?token=hidden", "issues=" + down.URL + "/?token=hidden ping=" + up.URL}
	all := checkRules(t.Context(), &s, config.All)
	says(t, all, ok, "3, of which 2 ", "")
	says(t, all, warning, down.Listener.Addr().String()+": dial tcp", "until it does, deliveries wait")
	if len(all) != 2 || all[1].name != "rule issues#2" {
		t.Errorf("found %v", all)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	says(t, checkRules(ended, &s, config.All), warning, "no time left", "")
	if other := checkRules(t.Context(), &s, config.Components{Auth: true}); len(other) != 0 {
		t.Errorf("found without webhooks: %v", other)
	}
}

func TestTheDoctorReportsATargetWithAForbiddenAddress(t *testing.T) {
	rule := inbox.Rule{Name: "tracker", Match: "push", URL: "http://tracker.internal:8080/?token=hidden"}
	f := unreachable(rule, 1, fmt.Errorf("dial tcp: %w: 10.0.0.1 is private", outbound.ErrForbidden))
	says(t, []finding{f}, failure, "tracker.internal:8080: dial tcp: the address is not allowed", "private: true")
	if f.name != "rule tracker" {
		t.Errorf("it is named %q, want \"rule tracker\"", f.name)
	}
}
