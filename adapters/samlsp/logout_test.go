package samlsp

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/crewjam/saml"
	dsig "github.com/russellhaering/goxmldsig"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/samlidp"
)

// signsIn returns the session of a sign-in.
func (w *party) signsIn(t *testing.T) string {
	t.Helper()
	return must.Get(w.redeem(t, w.idp.Encode(w.answer())))(t).Session
}

// provider is the other side of logouts: a service provider to whose metadata ours play the identity provider.
func (w *party) provider(t *testing.T) *saml.ServiceProvider {
	t.Helper()
	own := w.idp.Descriptor("https://idp.example.edu")
	own.EntityID = campus + "/metadata"
	own.IDPSSODescriptors[0].SingleLogoutServices[0].Location = campus + "/slo"
	return &saml.ServiceProvider{
		EntityID: w.idp.EntityID, Key: w.idp.Key, Certificate: w.idp.Certificate, SignatureMethod: dsig.RSASHA256SignatureMethod, IDPMetadata: own,
		SloURL: *must.Get(url.Parse("https://idp.example.edu/slo"))(t), Clock: dsig.NewFakeClockAt(w.clock.Now()),
	}
}

func exactly(value string) saml.LogoutRequestOption {
	return func(r *saml.LogoutRequest) {
		r.NameID = &saml.NameID{Format: string(saml.PersistentNameIDFormat), Value: value}
	}
}

func (w *party) take(t *testing.T, to *url.URL, of string) (identity.Logout, error) {
	t.Helper()
	return w.TakeLogout(t.Context(), "campus", httptest.NewRequest(http.MethodGet, to.String(), nil), of)
}

func TestASignOutLeadsToTheServiceThatBeganTheSession(t *testing.T) {
	w := newParty(t)
	to := must.Get(url.Parse(must.Get(w.LogoutURL(t.Context(), "campus", w.signsIn(t)))(t)))(t)
	text := inflate(t, to.Query().Get("SAMLRequest"))
	if to.Host != "idp.example.edu" || to.Path != "/slo" || to.Query().Get("Signature") == "" {
		t.Errorf("%s", to)
	}
	for _, want := range []string{">ann-4711<", ">session-1<", `Destination="https://idp.example.edu/slo"`, string(saml.PersistentNameIDFormat)} {
		if !strings.Contains(text, want) {
			t.Errorf("want %s in %s", want, text)
		}
	}
	answer := must.Get(w.provider(t).MakeRedirectLogoutResponse("id-1", ""))(t)
	if got, err := w.take(t, answer, ""); err != nil || got.Request != "" {
		t.Errorf("the answer: %+v, %v", got, err)
	}
}

func TestAServiceEndsTheSessionThatItHasBegun(t *testing.T) {
	w := newParty(t)
	own := w.signsIn(t)
	for name, c := range map[string]struct {
		of, name, index string
		meant           bool
	}{
		"its own":             {own, "ann-4711", "session-1", true},
		"all of the person":   {own, "ann-4711", "", true},
		"another session":     {own, "ann-4711", "session-2", false},
		"another person":      {own, "ben-1", "session-1", false},
		"without a session":   {"", "ann-4711", "session-1", false},
		"a session of nobody": {"{", "ann-4711", "session-1", false},
	} {
		request := must.Get(w.provider(t).MakeRedirectLogoutRequest(c.name, "state", exactly(c.name), saml.WithSessionIndex(c.index)))(t)
		got, err := w.take(t, request, c.of)
		if err != nil || got.Meant != c.meant || got.Request == "" || got.State != "state" {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		back := must.Get(url.Parse(must.Get(w.LogoutAnswer(t.Context(), "campus", got, got.Meant))(t)))(t)
		text := inflate(t, back.Query().Get("SAMLResponse"))
		if back.Query().Get("RelayState") != "state" || back.Query().Get("Signature") == "" || !strings.Contains(text, got.Request) || strings.Contains(text, "PartialLogout") == c.meant {
			t.Errorf("%s: %s %s", name, back, text)
		}
	}
}

func TestAForgedMessageAboutASignOutIsRefused(t *testing.T) {
	w := newParty(t)
	own := w.signsIn(t)
	good := func(edit func(sp *saml.ServiceProvider)) *url.URL {
		sp := w.provider(t)
		edit(sp)
		return must.Get(sp.MakeRedirectLogoutRequest("ann-4711", "", exactly("ann-4711")))(t)
	}
	without := func(u *url.URL, names ...string) *url.URL {
		q := u.Query()
		for _, name := range names {
			q.Del(name)
		}
		u.RawQuery = q.Encode()
		return u
	}
	same := func(*saml.ServiceProvider) {}
	evil := samlidp.New(t, "", 2)
	for name, to := range map[string]*url.URL{
		"unsigned":           without(good(same), "Signature", "SigAlg"),
		"by somebody else":   good(func(sp *saml.ServiceProvider) { sp.Key, sp.Certificate = evil.Key, evil.Certificate }),
		"of another service": good(func(sp *saml.ServiceProvider) { sp.EntityID = "https://evil.example.org" }),
		"for somebody else": good(func(sp *saml.ServiceProvider) {
			sp.IDPMetadata.IDPSSODescriptors[0].SingleLogoutServices[0].Location = "https://other.example.org/slo"
		}),
		"of an hour ago": good(func(sp *saml.ServiceProvider) { sp.Clock = dsig.NewFakeClockAt(w.clock.Now().Add(-time.Hour)) }),
		"with SHA-1":     good(func(sp *saml.ServiceProvider) { sp.SignatureMethod = dsig.RSASHA1SignatureMethod }),
		"with nothing":   {Path: "/auth/saml/campus/slo"},
		"no message":     {Path: "/auth/saml/campus/slo", RawQuery: "SAMLRequest=AAAA"},
	} {
		if got, err := w.take(t, to, own); !is(err, identity.ErrAnswerInvalid) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
