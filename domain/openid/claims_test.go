package openid_test

import (
	"errors"
	"testing"

	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
)

func TestAnApplicationMayAskForSingleClaims(t *testing.T) {
	for claims, want := range map[string]string{
		``:   "openid email",
		`{}`: "openid email",
		`{"userinfo":{"name":{"essential":true},"locale":null,"nickname":null},"id_token":{"given_name":{"value":"Ann"}}}`: "openid email userinfo:name userinfo:locale id_token:given_name",
		`{"userinfo":{"email":null,"email_verified":{"essential":true}},"other":[1],"id_token":null}`:                      "openid email",
		`{"id_token":{"auth_time":null,"sub":null,"acr":null,"roles":{}}}`:                                                 "openid email id_token:roles",
		`{"userinfo":{"userinfo:name":null,"r1/read":null,"offline_access":null}}`:                                         "openid email",
	} {
		r, _, err := openid.ParseRequest(app("https://app.example/cb?tenant=1"), request("scope", "openid email userinfo:roles", "claims", claims), noon)
		if err != nil || r.Scopes != want || r.Expected != 0 || r.ACRValues != "" || !r.SignedInSince.IsZero() {
			t.Errorf("%s: %+v, %v", claims, r, err)
		}
	}
	for _, claims := range []string{`x`, `null`, `[]`, `"userinfo"`, `{"userinfo":["name"]}`, `{"id_token":7}`, `{"userinfo":{}`} {
		_, sendable, err := openid.ParseRequest(app("https://app.example/cb?tenant=1"), request("claims", claims), noon)
		if f := asFault(t, err); !sendable || f.Code != "invalid_request" {
			t.Errorf("%s: %v", claims, err)
		}
	}
}

func TestAnApplicationMayDemandASignInByClaims(t *testing.T) {
	for claims, test := range map[string]struct {
		level  session.Level
		values string
		err    error
	}{
		`{"id_token":{"acr":{"essential":true,"values":["loa3","urn:octavo:2"]}}}`:                   {session.TwoFactors, "loa3 urn:octavo:2", nil},
		`{"id_token":{"acr":{"essential":true,"value":"phr"}}}`:                                      {session.Passkey, "phr", nil},
		`{"id_token":{"acr":{"values":["phr"]}}}`:                                                    {session.OneFactor, "urn:octavo:1", nil}, // acr_values goes before
		`{"id_token":{"acr":{"essential":true}}}`:                                                    {session.OneFactor, "urn:octavo:1", nil},
		`{"id_token":{"acr":{"essential":true,"values":["loa3"]}}}`:                                  {0, "loa3", openid.ErrUnmetRequirements},
		`{"id_token":{"sub":{"value":"ann"}}}`:                                                       {session.OneFactor, "urn:octavo:1", openid.ErrLoginRequired},
		`{"userinfo":{"acr":{"essential":true,"value":"phr"}},"id_token":{"auth_time":{"value":1}}}`: {session.OneFactor, "urn:octavo:1", nil},
	} {
		c := app("https://app.example/cb?tenant=1")
		r, _, err := openid.ParseRequest(c, request("acr_values", "urn:octavo:1", "claims", claims), noon)
		if !errors.Is(err, test.err) || r.ACRValues != test.values || c.Demands(r) != test.level {
			t.Errorf("%s: %q, %v, %v", claims, r.ACRValues, c.Demands(r), err)
		}
	}
	r, _, err := openid.ParseRequest(app("https://app.example/cb?tenant=1"), request("claims", `{"id_token":{"auth_time":{"essential":true},"sub":{"value":"12"}}}`), noon)
	if err != nil || r.SignedInSince.IsZero() || r.SignedInSince.Year() != 1970 || r.Expected != 12 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestSingleClaimsAreToldWhereTheyWereAskedFor(t *testing.T) {
	const granted = "openid email userinfo:name id_token:locale id_token:email r1/ r1/userinfo:name"
	if !openid.Tells(granted, openid.AtUserInfo, "name") || openid.Tells(granted, openid.InIDToken, "name") || !openid.Tells(granted, openid.InIDToken, "email") {
		t.Error("a claim is told at the wrong place")
	}
	if got := openid.SingleClaims(granted); len(got) != 2 || got[0] != "name" || got[1] != "locale" {
		t.Errorf("the user is asked for %v", got)
	}
	own, plain, token := openid.OwnScopes(granted), openid.PlainScopes(granted), openid.TokenScopes(granted)
	if own != "openid email" || plain != "openid email userinfo:name" || token != "openid email userinfo:name" {
		t.Errorf("%q %q %q", own, plain, token)
	}
	for asked, want := range map[string]string{"openid": "openid userinfo:name id_token:locale id_token:email r1/", "email": "email r1/"} {
		if got, err := openid.Narrow(granted, asked); err != nil || got != want {
			t.Errorf("a refresh with %q has %q, %v", asked, got, err)
		}
	}
	g := openid.Grant{}.With("openid profile id_token:email", noon)
	if g.Scopes != "openid profile id_token:email" || !g.Covers("openid userinfo:email id_token:name") || g.Covers("openid userinfo:email_verified") || g.Covers("openid email") {
		t.Errorf("%+v", g)
	}
}
