package oidcclient

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/test/must"
)

var code = identity.Answer{Code: "c0de", State: sent.State}

func TestASignInAtAnOpenIDProviderTellsWhoThePersonIs(t *testing.T) {
	h := newHostile(t)
	c := h.client(nil)
	to := must.Get(c.AuthorizationURL(t.Context(), "evil", sent))(t)
	u := must.Get(url.Parse(to))(t)
	q := u.Query()
	for name, want := range map[string]string{
		"response_type": "code", "client_id": "octavo", "redirect_uri": "https://books.example.edu/auth/oidc/evil/callback", "scope": "openid email",
		"state": sent.State, "nonce": sent.Nonce, "code_challenge_method": "S256",
	} {
		if q.Get(name) != want {
			t.Errorf("%s is %q", name, q.Get(name))
		}
	}
	if !strings.HasPrefix(to, h.URL+"/authorize?") || len(q.Get("code_challenge")) != 43 || strings.Contains(to, url.QueryEscape(sent.Verifier)) {
		t.Errorf("the address is %s", to)
	}
	h.claims = map[string]any{"amr": []string{"pwd", "mfa"}}
	got, err := c.RedeemCode(t.Context(), "evil", sent, code)
	if err != nil || !reflect.DeepEqual(got, identity.Claims{Subject: "248289761001", Email: "ann@example.edu", EmailVerified: true, Name: "Ann Lee", Methods: "fed mfa pwd"}) {
		t.Errorf("%+v, %v", got, err)
	}
	if h.form.Get("code_verifier") != sent.Verifier || h.form.Get("code") != "c0de" || h.form.Get("redirect_uri") != q.Get("redirect_uri") || h.basic != "octavo" {
		t.Errorf("the provider got %v and the client %q", h.form, h.basic)
	}
}

// A provider may recognise a person by a session of yesterday.
func TestAProviderIsAskedForANewSignInAndItsWordCountsForWhenThatWas(t *testing.T) {
	h, now := newHostile(t), clock.Now()
	for name, test := range map[string]struct {
		asked    identity.Freshness
		says     any // auth_time
		parts    map[string]string
		answered time.Time
	}{
		"a new sign-in":           {asked: identity.Freshness{Login: true}, parts: map[string]string{"prompt": "login", "max_age": ""}, answered: now},
		"one of a minute ago":     {asked: identity.Freshness{MaxAge: "60"}, parts: map[string]string{"prompt": "", "max_age": "60"}, answered: now},
		"a level":                 {asked: identity.Freshness{ACRValues: "phr urn:octavo:2"}, parts: map[string]string{"acr_values": "phr urn:octavo:2", "prompt": ""}},
		"nothing":                 {parts: map[string]string{"prompt": "", "max_age": ""}},
		"new, but it says old":    {asked: identity.Freshness{Login: true}, says: now.Add(-time.Hour).Unix(), answered: now.Add(-time.Hour)},
		"nothing, but it says so": {says: now.Add(-time.Minute).Unix(), answered: now.Add(-time.Minute)},
		"a time of the future":    {says: now.Add(time.Hour).Unix(), answered: now},
		"a time that is none":     {asked: identity.Freshness{Login: true}, says: "yesterday"},
		"a negative time":         {asked: identity.Freshness{Login: true}, says: -5},
	} {
		h.claims = map[string]any{}
		if test.says != nil {
			h.claims["auth_time"] = test.says
		}
		asked := sent
		asked.Freshness = test.asked
		c := h.client(nil)
		to := must.Get(c.AuthorizationURL(t.Context(), "evil", asked))(t)
		u := must.Get(url.Parse(to))(t)
		for part, want := range test.parts {
			if got := u.Query().Get(part); got != want {
				t.Errorf("%s: %s is %q, want %q", name, part, got, want)
			}
		}
		if got, err := c.RedeemCode(t.Context(), "evil", asked, code); err != nil || !got.AuthenticatedAt.Equal(test.answered) {
			t.Errorf("%s: the person signed in at %s, %v; want %s", name, got.AuthenticatedAt, err, test.answered)
		}
	}
}

func TestNoIDTokenOfAnotherSignInClientOrProviderIsAccepted(t *testing.T) {
	refusesAll(t, map[string]func(h *hostile){
		"another nonce":            func(h *hostile) { h.claims = map[string]any{"nonce": "another"} },
		"no nonce":                 func(h *hostile) { h.claims = map[string]any{"nonce": nil} },
		"another client":           func(h *hostile) { h.claims = map[string]any{"aud": "another"} },
		"two clients, no azp":      func(h *hostile) { h.claims = map[string]any{"aud": []string{"octavo", "another"}} },
		"another azp":              func(h *hostile) { h.claims = map[string]any{"azp": "another"} },
		"an azp that is a list":    func(h *hostile) { h.claims = map[string]any{"azp": []string{"octavo"}} },
		"another issuer":           func(h *hostile) { h.claims = map[string]any{"iss": "https://accounts.google.com"} },
		"an issuer with a slash":   func(h *hostile) { h.claims = map[string]any{"iss": h.URL + "/"} },
		"expired":                  func(h *hostile) { h.claims = map[string]any{"exp": clock.Now().Add(-time.Second).Unix()} },
		"without an end":           func(h *hostile) { h.claims = map[string]any{"exp": nil} },
		"not yet valid":            func(h *hostile) { h.claims = map[string]any{"nbf": clock.Now().Add(time.Hour).Unix()} },
		"of the future":            func(h *hostile) { h.claims = map[string]any{"iat": clock.Now().Add(time.Hour).Unix()} },
		"no subject":               func(h *hostile) { h.claims = map[string]any{"sub": ""} },
		"a subject that is a list": func(h *hostile) { h.claims = map[string]any{"sub": []string{"1"}} },
		"a long subject":           func(h *hostile) { h.claims = map[string]any{"sub": strings.Repeat("1", 256)} },
		"a token that is not ours": func(h *hostile) { h.claims = map[string]any{"at_hash": "MTIzNDU2Nzg5MDEyMzQ1Ng"} },
	})
}

func TestNoIDTokenWithoutASignatureOfTheProviderIsAccepted(t *testing.T) {
	refusesAll(t, map[string]func(h *hostile){
		"alg none": func(h *hostile) {
			h.sign = func(claims []byte) string {
				encode := base64.RawURLEncoding.EncodeToString
				return encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode(claims) + "."
			}
			h.discovery = map[string]any{"id_token_signing_alg_values_supported": []string{"none", "RS256"}}
		},
		"HS256 with the public key": func(h *hostile) {
			h.sign = func(claims []byte) string { return h.signed(jose.HS256, h.hmacKey(), claims) }
			h.discovery = map[string]any{"id_token_signing_alg_values_supported": []string{"HS256", "RS256"}}
		},
		"HS256 with the client secret": func(h *hostile) {
			h.sign = func(claims []byte) string {
				return h.signed(jose.HS256, []byte("s3crets3crets3crets3crets3crets3"), claims)
			}
			h.discovery = map[string]any{"id_token_signing_alg_values_supported": []string{"HS256", "RS256"}}
		},
		"an algorithm that discovery does not name": func(h *hostile) {
			h.sign = func(claims []byte) string { return h.signed(jose.PS256, h.key, claims) }
		},
		"a changed claim": func(h *hostile) {
			h.sign = func(claims []byte) string {
				parts := strings.Split(h.signed(jose.RS256, h.key, claims), ".")
				forged := strings.Replace(string(claims), "ann@", "eve@", 1)
				return parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(forged)) + "." + parts[2]
			}
		},
	})
}

func TestAnAnswerThatIsNoneOfAProviderIsRefused(t *testing.T) {
	refusesAll(t, map[string]func(h *hostile){
		"no ID token": func(h *hostile) { h.sign = func([]byte) string { return "" } },
		"an ID token that is no text": func(h *hostile) {
			h.token = func(w http.ResponseWriter, _ *http.Request) {
				answer(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": []string{"x"}})
			}
		},
		"an error": func(h *hostile) {
			h.token = func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusBadRequest)
				answer(w, map[string]any{"error": "invalid_grant"})
			}
		},
		"no JSON": func(h *hostile) {
			h.token = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }
		},
		"a huge answer":  func(h *hostile) { h.token = endless },
		"a huge key set": func(h *hostile) { h.keys = endless },
		"userinfo of another person": func(h *hostile) {
			h.claims = map[string]any{"email": nil}
			h.discovery = map[string]any{"userinfo_endpoint": h.URL + "/userinfo"}
			h.userInfo = map[string]any{"sub": "another", "email": "eve@example.edu", "email_verified": true}
		},
	})
}

// refusesAll requires that each attack by a provider, or on the way from it, signs nobody in.
func refusesAll(t *testing.T, attacks map[string]func(h *hostile)) {
	t.Helper()
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			h := newHostile(t)
			attack(h)
			if got, err := h.redeem(code); err == nil || !reflect.DeepEqual(got, identity.Claims{}) || !errors.Is(err, identity.ErrAnswerInvalid) && !errors.Is(err, identity.ErrUnreachable) {
				t.Errorf("%+v, %v", got, err)
			} else if len(err.Error()) > 600 || strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("the error for the log is %q", err)
			}
		})
	}
}

func TestAnAnswerOfAnotherIssuerIsRefusedBeforeItsCodeIsSent(t *testing.T) {
	h := newHostile(t)
	h.discovery = map[string]any{"authorization_response_iss_parameter_supported": true}
	for name, a := range map[string]identity.Answer{
		"another issuer":            {Code: "c0de", Issuer: "https://honest.example"},
		"an error of another one":   {Error: "access_denied", Issuer: "https://honest.example"},
		"no issuer where announced": {Code: "c0de"},
		"no code":                   {Issuer: h.URL},
		"an error":                  {Code: "c0de", Error: "server_error", Issuer: h.URL},
	} {
		if _, err := h.redeem(a); !errors.Is(err, identity.ErrAnswerInvalid) || h.form != nil {
			t.Errorf("%s: %v; sent %v", name, err, h.form)
		}
	}
	if _, err := h.redeem(identity.Answer{Error: "access_denied", Issuer: h.URL}); !errors.Is(err, identity.ErrCancelled) {
		t.Error(err)
	}
	if _, err := h.redeem(identity.Answer{Code: "c0de", Issuer: h.URL}); err != nil {
		t.Error(err)
	}
	h.discovery = nil
	must.Refuse(t, must.Err(h.redeem(identity.Answer{Code: "c0de", Issuer: "https://honest.example"})), identity.ErrAnswerInvalid, "where it is not announced")
}

func TestAnAddressCountsOnlyAsTheProviderGivesIt(t *testing.T) {
	for name, c := range map[string]struct {
		claims map[string]any
		want   identity.Claims
	}{
		"not verified":        {map[string]any{"email_verified": false}, identity.Claims{Email: "ann@example.edu"}},
		"nothing said":        {map[string]any{"email_verified": nil}, identity.Claims{Email: "ann@example.edu"}},
		"verified as a text":  {map[string]any{"email_verified": "true"}, identity.Claims{Email: "ann@example.edu", EmailVerified: true}},
		"false as a text":     {map[string]any{"email_verified": "false"}, identity.Claims{Email: "ann@example.edu"}},
		"verified as one":     {map[string]any{"email_verified": 1}, identity.Claims{Email: "ann@example.edu"}},
		"verified as a list":  {map[string]any{"email_verified": []bool{true}}, identity.Claims{Email: "ann@example.edu"}},
		"an email list":       {map[string]any{"email": []string{"ann@example.edu"}}, identity.Claims{EmailVerified: true}},
		"an email object":     {map[string]any{"email": map[string]string{"value": "ann@example.edu"}}, identity.Claims{EmailVerified: true}},
		"another spelling":    {map[string]any{"email": nil, "EMAIL": "eve@example.edu", "Email": "eve@example.edu"}, identity.Claims{EmailVerified: true}},
		"verified spelled so": {map[string]any{"email_verified": nil, "Email_Verified": true}, identity.Claims{Email: "ann@example.edu"}},
		"amr as a text":       {map[string]any{"amr": "mfa"}, identity.Claims{Email: "ann@example.edu", EmailVerified: true}},
		"a name as a number":  {map[string]any{"name": 7}, identity.Claims{Email: "ann@example.edu", EmailVerified: true}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHostile(t)
			h.claims = map[string]any{"name": nil}
			for k, v := range c.claims {
				h.claims[k] = v
			}
			c.want.Subject, c.want.Methods = "248289761001", session.External
			if got, err := h.redeem(code); err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestTheAddressMayComeFromUserinfo(t *testing.T) {
	h := newHostile(t)
	h.claims = map[string]any{"email": nil, "email_verified": true, "name": nil}
	h.discovery = map[string]any{"userinfo_endpoint": h.URL + "/userinfo"}
	h.userInfo = map[string]any{"sub": "248289761001", "email": "ann@example.edu", "name": "Ann"}
	if got, err := h.redeem(code); err != nil || !reflect.DeepEqual(got, identity.Claims{Subject: "248289761001", Email: "ann@example.edu", Name: "Ann", Methods: session.External}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestASignInAtGitHubUsesThePrimaryAddress(t *testing.T) {
	for name, c := range map[string]struct {
		user, emails string
		want         identity.Claims
		fails        bool
	}{
		"verified":     {`{"id": 583231, "login": "octocat", "name": "The Octocat"}`, `[{"email":"old@x.org","primary":false,"verified":true},{"email":"ann@x.org","primary":true,"verified":true}]`, identity.Claims{Subject: "583231", Email: "ann@x.org", EmailVerified: true, Name: "The Octocat"}, false},
		"not verified": {`{"id": 1, "name": null}`, `[{"email":"old@x.org","primary":false,"verified":true},{"email":"ann@x.org","primary":true,"verified":false}]`, identity.Claims{Subject: "1", Email: "ann@x.org"}, false},
		"no primary":   {`{"id": 1}`, `[{"email":"ann@x.org","verified":true}]`, identity.Claims{Subject: "1"}, false},
		"no number":    {`{"login": "octocat"}`, `[]`, identity.Claims{}, true},
		"a text as id": {`{"id": "583231"}`, `[]`, identity.Claims{}, true},
		"no list":      {`{"id": 1}`, `{"message":"Not Found"}`, identity.Claims{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("/login/oauth/access_token", func(w http.ResponseWriter, r *http.Request) {
				if r.FormValue("client_secret") != "s3cret" || r.FormValue("code_verifier") != sent.Verifier {
					answer(w, map[string]string{"error": "bad_verification_code"}) // GitHub says so with 200
					return
				}
				answer(w, map[string]string{"access_token": "gho", "token_type": "bearer", "scope": "user:email"})
			})
			for path, body := range map[string]string{"/api/v3/user": c.user, "/api/v3/user/emails": c.emails} {
				mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Authorization") != "Bearer gho" {
						http.Error(w, "", http.StatusUnauthorized)
						return
					}
					_, _ = w.Write([]byte(body))
				})
			}
			h := newHostile(t)
			h.Config.Handler = mux
			client := h.client(func(p *Provider) { p.Protocol = GitHub })
			to, err := client.AuthorizationURL(t.Context(), "evil", sent)
			if err != nil || !strings.HasPrefix(to, h.URL+"/login/oauth/authorize?") || strings.Contains(to, "nonce") {
				t.Errorf("%s, %v", to, err)
			}
			got, err := client.RedeemCode(t.Context(), "evil", sent, code)
			if !reflect.DeepEqual(got, c.want) || (err != nil) != c.fails {
				t.Errorf("%+v, %v", got, err)
			}
			must.Refuse(t, must.Err(client.RedeemCode(t.Context(), "evil", identity.Request{Verifier: "another"}, code)), identity.ErrAnswerInvalid, "with another verifier")
		})
	}
}
