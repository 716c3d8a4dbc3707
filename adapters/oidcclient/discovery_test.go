package oidcclient

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/test/must"
)

func TestDiscoveryOfAnotherIssuerOrToForbiddenAddressesIsRefused(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was reached", r.URL) }))
	t.Cleanup(inside.Close)
	for name, discovery := range map[string]map[string]any{
		"another issuer":                {"issuer": "https://accounts.google.com"},
		"no issuer":                     {"issuer": ""},
		"many tenants":                  {"issuer": "https://login.example/{tenantid}/v2.0"},
		"a token endpoint without TLS":  {"token_endpoint": "http://login.example/token"},
		"keys in a file":                {"jwks_uri": "file:///etc/passwd"},
		"keys without an address":       {"jwks_uri": ""},
		"a script to sign in with":      {"authorization_endpoint": "javascript:alert(1)"},
		"userinfo with a password":      {"userinfo_endpoint": "https://user:pass@login.example/"},
		"no algorithm with public keys": {"id_token_signing_alg_values_supported": []string{"none", "HS256"}},
		"a list for an address":         {"jwks_uri": []string{"https://x.example"}},
	} {
		h := newHostile(t)
		h.discovery = discovery
		if to, err := h.client(nil).AuthorizationURL(t.Context(), "evil", sent); !errors.Is(err, identity.ErrUnreachable) || to != "" {
			t.Errorf("%s: %q, %v", name, to, err)
		}
		if _, err := h.redeem(code); err == nil || h.form != nil {
			t.Errorf("%s: %v, sent %v", name, err, h.form)
		}
	}
	// Addresses of the network inside, metadata services among them.
	for _, address := range []string{"https://10.0.0.1/keys", "https://169.254.169.254/keys", "https://[fd00::1]/keys", "https://192.168.1.1/keys", "https://0.0.0.0/keys"} {
		h := newHostile(t)
		h.discovery = map[string]any{"jwks_uri": address}
		if got, err := h.redeem(code); err == nil || !reflect.DeepEqual(got, identity.Claims{}) {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
		h.discovery = map[string]any{"token_endpoint": address}
		if _, err := h.redeem(code); err == nil || !strings.Contains(err.Error(), "not allowed") {
			t.Errorf("%s: %v", address, err)
		}
	}
	for name, redirect := range map[string]func(h *hostile){
		"keys":  func(h *hostile) { h.keys = http.RedirectHandler(inside.URL, http.StatusFound).ServeHTTP },
		"token": func(h *hostile) { h.token = http.RedirectHandler(inside.URL, http.StatusTemporaryRedirect).ServeHTTP },
	} {
		h := newHostile(t)
		redirect(h)
		if got, err := h.redeem(code); err == nil {
			t.Errorf("a redirect of %s was followed: %+v", name, got)
		}
	}
}

func TestAProviderThatIsDownIsAskedAgainAndItsAnswerKept(t *testing.T) {
	h := newHostile(t)
	h.down.Store(true)
	c := h.client(nil) // the start does not need it
	for range 3 {
		if _, err := c.AuthorizationURL(t.Context(), "evil", sent); !errors.Is(err, identity.ErrUnreachable) || !strings.Contains(err.Error(), "502") {
			t.Fatal(err)
		}
	}
	if n := h.asked.Load(); n != 1 {
		t.Errorf("a provider that is down was asked %d times within two seconds", n)
	}
	h.down.Store(false)
	clock.Advance(retryAfter)
	must.Together(8, func(int) {
		if _, err := c.AuthorizationURL(t.Context(), "evil", sent); err != nil {
			t.Error(err)
		}
	})
	if n := h.asked.Load(); n != 2 {
		t.Errorf("eight people at once made %d requests", n-1)
	}
	h.down.Store(true)
	clock.Advance(metadataLifetime)
	if _, err := c.AuthorizationURL(t.Context(), "evil", sent); err != nil {
		t.Errorf("while the provider is down again: %v", err)
	}
	if err := c.CheckProvider(t.Context(), "evil"); err != nil {
		t.Error(err)
	}
}

func TestASlowProviderDoesNotHoldAPersonLongerThanTheirRequest(t *testing.T) {
	held := make(chan struct{})
	h := newHostile(t)
	t.Cleanup(func() { close(held) })
	c := h.client(nil)
	must.Get(c.AuthorizationURL(t.Context(), "evil", sent))(t)
	reached := make(chan struct{}, 1)
	h.token = func(http.ResponseWriter, *http.Request) { reached <- struct{}{}; <-held }
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-reached; cancel() }()
	if _, err := c.RedeemCode(ctx, "evil", sent, code); !errors.Is(err, identity.ErrUnreachable) {
		t.Error(err)
	}
}

func TestIssuersUseTLSExceptOnThisMachineInDevelopment(t *testing.T) {
	for issuer, want := range map[string]struct{ development, production bool }{
		"https://login.example.edu":          {true, true},
		"https://login.example.edu/realms/x": {true, true},
		"http://127.0.0.1:5556/dex":          {true, false},
		"http://localhost:5556":              {true, false},
		"http://[::1]:5556":                  {true, false},
		"http://login.example.edu":           {},
		"http://localhost.example.edu":       {},
		"http://127.0.0.1.example.edu":       {},
		"http://10.0.0.1":                    {},
		"login.example.edu":                  {},
		"ftp://login.example.edu":            {},
		"https://user@login.example.edu":     {},
		"https://login.example.edu/#x":       {},
		"https://":                           {},
		"":                                   {},
	} {
		for development, allowed := range map[bool]bool{true: want.development, false: want.production} {
			_, err := New([]Provider{{Name: "x", Issuer: issuer}}, Options{Development: development, Now: clock.Now})
			if (err == nil) != allowed {
				t.Errorf("%q, development %t: %v", issuer, development, err)
			}
		}
	}
}

func TestATenantOfManyIsNeverTakenForAnother(t *testing.T) {
	const ours, other = "11111111-2222-3333-4444-555555555555", "99999999-2222-3333-4444-555555555555"
	for name, c := range map[string]struct {
		iss, tid string
		want     string // the subject; empty if it must be refused
	}{
		"a tenant":           {"/" + ours + "/v2.0", ours, ours + "/248289761001"},
		"another tenant":     {"/" + other + "/v2.0", other, other + "/248289761001"},
		"the tid of another": {"/" + ours + "/v2.0", other, ""},
		"no tid":             {"/" + ours + "/v2.0", "", ""},
		"the pattern":        {"/{tenantid}/v2.0", "{tenantid}", ""},
		"a longer path":      {"/x/" + ours + "/v2.0", "x/" + ours, ""},
		"another provider":   {"evil.example/" + ours + "/v2.0", ours, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHostile(t)
			// The pattern is that of the issuer /common/v2.0.
			mux := http.NewServeMux()
			mux.HandleFunc("/common/v2.0/.well-known/openid-configuration", h.serveDiscovery)
			mux.Handle("/", h.Config.Handler)
			h.Config.Handler = mux
			h.discovery = map[string]any{"issuer": h.URL + "/{tenantid}/v2.0"}
			h.claims = map[string]any{"iss": h.URL + c.iss, "tid": c.tid, "email_verified": nil, "name": "Dean", "upn": "dean@example.edu"}
			seen := ""
			got, err := h.client(func(p *Provider) {
				p.Issuer, p.ManyTenants = h.URL+"/common/v2.0", true
				p.Rules = func(claims []byte) identity.Grants { seen = string(claims); return identity.Grants{} }
			}).RedeemCode(t.Context(), "evil", sent, code)
			if c.want != "" && !strings.Contains(seen, c.tid) || strings.Contains(seen, "@") || strings.Contains(seen, "Dean") {
				t.Errorf("rules see %s: what each tenant may claim as it likes must not be there", seen)
			}
			if got.Subject != c.want || (err == nil) != (c.want != "") {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}
