package samlsp

import (
	"bytes"
	"compress/flate"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	"github.com/crewjam/saml"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/samlidp"
)

// party is Octavo and an identity provider that signs people in.
type party struct {
	*Client
	t     testing.TB
	idp   *samlidp.Provider
	clock *fake.Clock
	asked identity.Request
}

const (
	here   = "https://octavo.example.org"
	campus = here + "/auth/saml/campus"
)

func optionsAt(t testing.TB, clock *fake.Clock) Options {
	t.Helper()
	own := samlidp.Key(t, 0)
	return Options{
		BaseURL: here, Agent: "Octavo/test", Development: true, Now: clock.Now, Log: slog.New(slog.DiscardHandler),
		Key: func() (*rsa.PrivateKey, error) { return own, nil },
	}
}

// newParty signs in at a provider that edit changes.
func newParty(t testing.TB, edit ...func(p *Provider)) *party {
	t.Helper()
	w := &party{t: t, idp: samlidp.New(t, "https://idp.example.edu/entity", 1), clock: fake.NewClock()}
	file := filepath.Join(t.TempDir(), "idp.xml")
	must.Do(t, os.WriteFile(file, w.idp.Metadata("https://idp.example.edu"), 0o600))
	p := Provider{Name: "campus", Metadata: file}
	for _, e := range edit {
		e(&p)
	}
	w.Client = must.Get(New([]Provider{p}, optionsAt(t, w.clock)))(t)
	t.Cleanup(w.Close)
	w.asked = identity.Request{State: strings.Repeat("s", 43), Nonce: strings.Repeat("n", 43)}
	return w
}

// answer is what the provider answers to the request of the party.
func (w *party) answer() samlidp.Answer {
	return samlidp.Answer{
		Service: campus + "/metadata", ACS: campus + "/acs", RequestID: requestID(w.asked), Now: w.clock.Now(),
		NameID: saml.NameID{Format: string(saml.PersistentNameIDFormat), Value: "ann-4711"},
		Values: map[string][]string{mail[1]: {"ann@example.edu"}, displayName[1]: {"Ann Author"}},
	}
}

// ownCertificate is for whom providers encrypt.
func (w *party) ownCertificate() *x509.Certificate {
	return must.Get(w.providers["campus"].certificate())(w.t)
}

func (w *party) redeem(t *testing.T, code string) (identity.Claims, error) {
	t.Helper()
	return w.RedeemCode(t.Context(), "campus", w.asked, identity.Answer{Code: code, State: w.asked.State})
}

func is(err, want error) bool { return errors.Is(err, want) }

// inflate reads a message of the HTTP-Redirect binding.
func inflate(t *testing.T, message string) string {
	t.Helper()
	packed := must.Get(base64.StdEncoding.DecodeString(message))(t)
	return string(must.Get(io.ReadAll(flate.NewReader(bytes.NewReader(packed))))(t))
}

func TestAnAnswerSignsInThePersonWhomItNames(t *testing.T) {
	for name, change := range map[string]func(w *party, a *samlidp.Answer){
		"a signed assertion": func(*party, *samlidp.Answer) {},
		"in a signed answer": func(_ *party, a *samlidp.Answer) { a.Response = true },
		"encrypted": func(w *party, a *samlidp.Answer) {
			a.Encrypt = w.ownCertificate()
		},
		"encrypted in a signed answer": func(w *party, a *samlidp.Answer) {
			a.Encrypt, a.Response = w.ownCertificate(), true
		},
		"without the certificate in the signature": func(_ *party, a *samlidp.Answer) {
			a.Break = func(e *etree.Element) {
				for _, info := range e.FindElements("//KeyInfo") {
					info.Parent().RemoveChild(info)
				}
			}
		},
		"with a clock two minutes ahead": func(_ *party, a *samlidp.Answer) { a.Now = a.Now.Add(2 * time.Minute) },
		"a minute late":                  func(_ *party, a *samlidp.Answer) { a.Now = a.Now.Add(-time.Minute) },
	} {
		w := newParty(t)
		a := w.answer()
		change(w, &a)
		c, err := w.redeem(t, w.idp.Encode(a))
		if err != nil || c.Subject != "ann-4711" || c.Email != "ann@example.edu" || !c.EmailVerified || c.Name != "Ann Author" || c.Methods != "" {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		if !c.AuthenticatedAt.Equal(a.Now) && c.AuthenticatedAt != w.clock.Now() {
			t.Errorf("%s: proved at %v", name, c.AuthenticatedAt)
		}
	}
}

func TestARequestIsSignedAndBoundToItsTicket(t *testing.T) {
	w := newParty(t)
	w.asked.Login = true
	to := must.Get(url.Parse(must.Get(w.AuthorizationURL(t.Context(), "campus", w.asked))(t)))(t)
	q := to.Query()
	if to.Host != "idp.example.edu" || to.Path != "/sso" || q.Get("RelayState") != w.asked.State || q.Get("Signature") == "" ||
		q.Get("SigAlg") != "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256" {
		t.Errorf("%s", to)
	}
	text := inflate(t, q.Get("SAMLRequest"))
	for _, want := range []string{`ID="` + requestID(w.asked) + `"`, `ForceAuthn="true"`, campus + "/acs", campus + "/metadata", `Destination="https://idp.example.edu/sso"`} {
		if !strings.Contains(text, want) {
			t.Errorf("want %s in %s", want, text)
		}
	}
	other := w.asked
	other.Nonce = strings.Repeat("m", 43)
	if requestID(other) == requestID(w.asked) {
		t.Error("two tickets ask alike")
	}
}

func TestTheSecondFactorThatAnApplicationWantsIsAskedFor(t *testing.T) {
	w := newParty(t)
	asked := func(f identity.Freshness) string {
		w.asked.Freshness = f
		to := must.Get(url.Parse(must.Get(w.AuthorizationURL(t.Context(), "campus", w.asked))(t)))(t)
		return inflate(t, to.Query().Get("SAMLRequest"))
	}
	if text := asked(identity.Freshness{ACRValues: "urn:octavo:1 phr"}); strings.Contains(text, "RequestedAuthnContext") {
		t.Errorf("levels of Octavo are asked for: %s", text)
	}
	text := asked(identity.Freshness{ACRValues: "https://refeds.org/profile/sfa urn:octavo:2", Strong: true})
	sfa, mfa, usual := strings.Index(text, "refeds.org/profile/sfa"), strings.Index(text, "refeds.org/profile/mfa"), strings.Index(text, "PasswordProtectedTransport")
	if sfa < 0 || mfa < sfa || usual < mfa || !strings.Contains(text, `Comparison="exact"`) {
		t.Errorf("%d %d %d in %s", sfa, mfa, usual, text)
	}
}

func TestRulesSeeAttributesByTheNamesThatPeopleKnow(t *testing.T) {
	a := &saml.Assertion{AttributeStatements: []saml.AttributeStatement{{Attributes: []saml.Attribute{
		{Name: affiliation[1], Values: []saml.AttributeValue{{Value: "student"}, {Value: "member"}}},
		{Name: "urn:x", FriendlyName: "isMemberOf", Values: []saml.AttributeValue{{Value: "market-staff"}}},
		{Name: scopedAffiliation[1], Values: []saml.AttributeValue{{Value: "staff@evil.org"}, {Value: "staff@example.edu"}}},
		{Name: principalName[1], Values: []saml.AttributeValue{{Value: "ann@example.edu"}}}, {Name: mail[1], Values: []saml.AttributeValue{{Value: "dean@other.edu"}}},
		{Name: "iss", Values: []saml.AttributeValue{{Value: "https://idp.other.edu"}}},
	}}}}
	v := valuesOf(a)
	s := &service{entry: &entry{id: "https://idp.example.edu", scopes: []scope{{"example.edu", false}}}, federated: true}
	v.keepScoped(s)
	got := v.rules(s)
	want := map[string]any{
		"eduPersonAffiliation": []string{"student", "member"}, affiliation[1]: []string{"student", "member"}, "isMemberOf": []string{"market-staff"},
		"urn:x": []string{"market-staff"}, "eduPersonScopedAffiliation": []string{"staff@example.edu"}, scopedAffiliation[1]: []string{"staff@example.edu"},
		"eduPersonPrincipalName": "ann@example.edu", principalName[1]: []string{"ann@example.edu"}, "iss": "https://idp.example.edu",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestTheMetadataSayWhatAProviderNeeds(t *testing.T) {
	w := newParty(t)
	text := string(must.Get(w.Metadata("campus"))(t))
	certificate := w.ownCertificate()
	for _, want := range []string{
		`entityID="` + campus + `/metadata"`, `Location="` + campus + `/acs"`, `Location="` + campus + `/slo"`, `WantAssertionsSigned="true"`, `AuthnRequestsSigned="true"`,
		`use="encryption"`, `use="signing"`, base64.StdEncoding.EncodeToString(certificate.Raw), mail[1], pairwiseID[1], saml.HTTPPostBinding,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %s in %s", want, text)
		}
	}
	if again := newParty(t); string(must.Get(again.Metadata("campus"))(t)) != text {
		t.Error("another replica describes itself differently")
	}
}

// The next key is known before it signs, and the previous one decrypts until providers have the next.
func TestAKeyIsChangedWithoutAnOutage(t *testing.T) {
	w := newParty(t)
	o := optionsAt(t, w.clock)
	next := samlidp.Key(t, 3)
	o.Others = []*rsa.PrivateKey{next}
	before := must.Get(New([]Provider{w.providers["campus"].Provider}, o))(t)
	known := must.Get(certificateOf(next, here))(t)
	if text := string(must.Get(before.Metadata("campus"))(t)); strings.Count(text, base64.StdEncoding.EncodeToString(known.Raw)) != 2 {
		t.Errorf("the next key is not in the metadata: %s", text)
	}
	a := w.answer()
	a.Encrypt = known
	code := w.idp.Encode(a)
	if c, err := before.RedeemCode(t.Context(), "campus", w.asked, identity.Answer{Code: code}); err != nil || c.Subject != "ann-4711" {
		t.Errorf("encrypted for the next key: %+v, %v", c, err)
	}
	if c, err := w.redeem(t, code); !is(err, identity.ErrAnswerInvalid) {
		t.Errorf("encrypted for a key of nobody: %+v, %v", c, err)
	}
}

func TestAPersonIsNamedByWhatLasts(t *testing.T) {
	persistent := saml.NameID{Format: string(saml.PersistentNameIDFormat), Value: "P-1"}
	transient := saml.NameID{Format: string(saml.TransientNameIDFormat), Value: "T-1"}
	address := saml.NameID{Format: string(saml.EmailAddressNameIDFormat), Value: "Ann@example.edu"}
	for name, c := range map[string]struct {
		attributes Attributes
		id         saml.NameID
		values     map[string][]string
		want       string // "": refused
	}{
		"pairwise-id before all":       {id: persistent, values: map[string][]string{pairwiseID[1]: {"AB@example.edu"}, principalName[1]: {"ann@example.edu"}}, want: "ab@example.edu"},
		"a persistent NameID":          {id: persistent, values: map[string][]string{principalName[1]: {"ann@example.edu"}}, want: "P-1"},
		"eduPersonPrincipalName":       {id: transient, values: map[string][]string{principalName[1]: {"Ann@example.edu"}}, want: "ann@example.edu"},
		"by the friendly name":         {id: transient, values: map[string][]string{"eduPersonPrincipalName": {"ann@example.edu"}}, want: "ann@example.edu"},
		"Entra's object":               {id: address, values: map[string][]string{objectID[1]: {"0-1"}}, want: "0-1"},
		"Google's address":             {id: address, want: "Ann@example.edu"},
		"the attribute of the file":    {Attributes{ID: "uid"}, persistent, map[string][]string{"uid": {"u7"}}, "u7"},
		"NameID by the file":           {Attributes{ID: "NameID"}, address, map[string][]string{objectID[1]: {"0-1"}}, "Ann@example.edu"},
		"a missing one of the file":    {Attributes{ID: "uid"}, persistent, nil, ""},
		"nothing but a transient name": {id: transient},
	} {
		w := newParty(t, func(p *Provider) { p.Attributes = c.attributes })
		a := w.answer()
		a.NameID, a.Values = c.id, c.values
		got, err := w.redeem(t, w.idp.Encode(a))
		if got.Subject != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: %q, %v", name, got.Subject, err)
		}
	}
}

func TestASecondFactorAtTheUniversityCounts(t *testing.T) {
	w := newParty(t)
	a := w.answer()
	a.Change = func(made *saml.Assertion) {
		made.AuthnStatements[0].AuthnContext.AuthnContextClassRef.Value = "https://refeds.org/profile/mfa"
		made.AuthnStatements[0].AuthnInstant = w.clock.Now().Add(-time.Hour)
	}
	c := must.Get(w.redeem(t, w.idp.Encode(a)))(t)
	if c.Factors() != 2 || !c.AuthenticatedAt.Equal(w.clock.Now().Add(-time.Hour)) {
		t.Errorf("%+v", c)
	}
}

func TestAServiceSpeaksForItsScopesAlone(t *testing.T) {
	s := &service{entry: &entry{scopes: []scope{{"example.edu", false}, {`.+\.campus\.edu`, true}, {"(", true}}}}
	for value, want := range map[string]bool{
		"ann@example.edu": true, "ann@EXAMPLE.edu": true, "ann@cs.campus.edu": true,
		"ann@campus.edu": false, "ann@evil.org": false, "ann@example.edu.evil.org": false, "ann": false, "ann@cs.campus.edu.evil.org": false, "a@evil.org@example.edu": true,
	} {
		if s.speaksFor(value) != want {
			t.Errorf("%s: %t", value, !want)
		}
	}
	if none := (&service{entry: &entry{}, federated: true}); none.speaksFor("ann@example.edu") {
		t.Error("a service of a federation speaks for a domain that nobody gave it")
	}
}

func TestAServiceThatRefusesIsNoForgery(t *testing.T) {
	w := newParty(t)
	r := saml.Response{
		ID: "r", InResponseTo: requestID(w.asked), Version: "2.0", IssueInstant: w.clock.Now(), Destination: campus + "/acs", Issuer: &saml.Issuer{Value: w.idp.EntityID},
		Status: saml.Status{StatusCode: saml.StatusCode{Value: saml.StatusResponder}},
	}
	document := etree.NewDocument()
	document.SetRoot(r.Element())
	_, err := w.redeem(t, base64.StdEncoding.EncodeToString(must.Get(document.WriteToBytes())(t)))
	if !is(err, identity.ErrCancelled) {
		t.Error(err)
	}
}

func TestWithoutMetadataNobodyCanSignInUntilTheyAreThere(t *testing.T) {
	clock, idp := fake.NewClock(), samlidp.New(t, "https://idp.example.edu/entity", 1)
	status, body, asked := http.StatusInternalServerError, idp.Metadata("https://idp.example.edu"), 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
	defer server.Close()
	c := must.Get(New([]Provider{{Name: "campus", Metadata: server.URL}}, optionsAt(t, clock)))(t)
	defer c.Close()
	if _, err := c.AuthorizationURL(t.Context(), "campus", identity.Request{State: "s", Nonce: "n"}); !is(err, identity.ErrUnreachable) || !strings.Contains(err.Error(), "500") {
		t.Error(err)
	}
	status = http.StatusOK
	clock.Advance(retryAfter)
	for range 3 {
		must.Get(c.AuthorizationURL(t.Context(), "campus", identity.Request{State: "s", Nonce: "n"}))(t)
	}
	if asked != 2 {
		t.Errorf("the metadata were requested %d times", asked)
	}
	clock.Advance(metadataLifetime)
	source := c.providers["campus"].source
	source.refresh(t.Context())
	if now := source.peek(); asked != 3 || now.failed != nil || !now.until.Equal(clock.Now().Add(metadataLifetime)) {
		t.Errorf("requested %d times, %v", asked, now.failed)
	}
	if _, err := New([]Provider{{Name: "x", Metadata: "http://login.example.edu/metadata"}}, optionsAt(t, clock)); err == nil {
		t.Error("metadata without TLS are accepted")
	}
}
