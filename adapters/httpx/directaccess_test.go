package httpx_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/octavo-books/octavo/adapters/httpx"
)

func TestOnlyRequestsForOurHostWithoutAProxyAreDirect(t *testing.T) {
	const ours, network, machine = "http://octavo.lan:3000", "172.17.0.1:1", "127.0.0.1:1"
	for name, c := range map[string]struct {
		base, peer, host, header string
		direct, local            bool
	}{
		"this machine":                            {ours, machine, "127.0.0.1:3000", "", true, true},
		"this machine by name":                    {ours, machine, "localhost:3000", "", true, true},
		"this machine by name, in capitals":       {ours, machine, "LOCALHOST", "", true, true},
		"this machine over IPv6":                  {ours, "[::1]:1", "[::1]:3000", "", true, true},
		"IPv6 without a port":                     {ours, "[::1]:1", "[::1]", "", true, true},
		"IPv4 inside IPv6":                        {ours, "[::ffff:127.0.0.1]:1", "[::ffff:127.0.0.1]", "", true, true},
		"BASE_URL's host":                         {ours, network, "octavo.lan:3000", "", true, false},
		"BASE_URL's host on this machine":         {ours, machine, "Octavo.LAN:3000", "", true, true},
		"BASE_URL's host on another port":         {ours, network, "octavo.lan", "", true, false},
		"a container's published port":            {"http://localhost:3000", network, "localhost:3000", "", true, false},
		"a site that resolves to this machine":    {ours, machine, "evil.test:3000", "", false, false},
		"a site whose name starts with ours":      {ours, machine, "octavo.lan.evil.test", "", false, false},
		"a site whose name starts with localhost": {ours, machine, "localhost.evil.test", "", false, false},
		"a site with an address in its name":      {ours, machine, "127.0.0.1.evil.test", "", false, false},
		"another address":                         {ours, machine, "192.0.2.1:3000", "", false, false},
		"any address":                             {ours, machine, "0.0.0.0:3000", "", false, false},
		"no host":                                 {ours, machine, "", "", false, false},
		"no host and no BASE_URL":                 {"", machine, "", "", false, false},
		"from elsewhere":                          {ours, "192.0.2.1:1", "127.0.0.1:3000", "", true, false},
		"no peer":                                 {ours, "@", "localhost", "", true, false},
		"X-Forwarded-For":                         {ours, machine, "localhost", "X-Forwarded-For", false, false},
		"X-Forwarded-Host":                        {ours, machine, "localhost", "X-Forwarded-Host", false, false},
		"X-Forwarded-Proto":                       {ours, machine, "localhost", "x-forwarded-proto", false, false},
		"Forwarded":                               {ours, machine, "localhost", "Forwarded", false, false},
		"X-Real-IP":                               {ours, machine, "localhost", "X-Real-IP", false, false},
		"Via":                                     {ours, machine, "localhost", "Via", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			r.RemoteAddr, r.Host = c.peer, c.host
			if c.header != "" {
				r.Header.Set(c.header, "")
			}
			d := httpx.NewDirectAccess(c.base)
			if d.IsDirect(r) != c.direct || d.IsLocal(r) != c.local {
				t.Errorf("direct %v, local %v", d.IsDirect(r), d.IsLocal(r))
			}
			w := httptest.NewRecorder()
			d.Require(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })).ServeHTTP(w, r)
			if want := map[bool]int{true: http.StatusNoContent, false: http.StatusForbidden}[c.direct]; w.Code != want {
				t.Errorf("answered %d", w.Code)
			}
		})
	}
}
