package oidcclient

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/test/must"
)

// logoutToken is a good one, with other parts; nil removes one.
func (h *hostile) logoutToken(change map[string]any) []byte {
	claims := map[string]any{
		"iss": h.URL, "aud": "octavo", "sub": "7", "sid": "s1", "jti": "j1", "iat": clock.Now().Unix(), "exp": clock.Now().Add(time.Minute).Unix(),
		"events": map[string]any{logoutEvent: map[string]any{}},
	}
	for name, value := range change {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	b, err := json.Marshal(claims)
	if err != nil {
		h.t.Fatal(err)
	}
	return b
}

func TestAServiceMayEndAPersonsSessionsOrOneOfThem(t *testing.T) {
	h := newHostile(t)
	c := h.client(nil)
	for name, test := range map[string]struct {
		change map[string]any
		want   identity.LogoutNotice
	}{
		"both":                 {nil, identity.LogoutNotice{ID: "j1", Subject: "7", Session: "s1"}},
		"a person":             {map[string]any{"sid": nil}, identity.LogoutNotice{ID: "j1", Subject: "7"}},
		"a session":            {map[string]any{"sub": nil}, identity.LogoutNotice{ID: "j1", Session: "s1"}},
		"without an expiry":    {map[string]any{"exp": nil}, identity.LogoutNotice{ID: "j1", Subject: "7", Session: "s1"}},
		"from a clock ahead":   {map[string]any{"iat": clock.Now().Add(4 * time.Minute).Unix()}, identity.LogoutNotice{ID: "j1", Subject: "7", Session: "s1"}},
		"from a clock behind":  {map[string]any{"iat": clock.Now().Add(-4 * time.Minute).Unix(), "exp": clock.Now().Add(-2 * time.Minute).Unix()}, identity.LogoutNotice{ID: "j1", Subject: "7", Session: "s1"}},
		"for several audience": {map[string]any{"aud": []string{"octavo", "other"}}, identity.LogoutNotice{ID: "j1", Subject: "7", Session: "s1"}},
	} {
		if got, err := c.VerifyLogout(t.Context(), "evil", h.sign(h.logoutToken(test.change))); err != nil || got != test.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestAForgedLogoutTokenEndsNothing(t *testing.T) {
	h := newHostile(t)
	c, stranger := h.client(nil), must.Get(rsa.GenerateKey(rand.Reader, 2048))(t)
	tokens := map[string]string{
		"nonsense": "a.b.c", "nothing": "", "another key": h.signed(jose.RS256, stranger, h.logoutToken(nil)),
		"a shared secret": h.signed(jose.HS256, h.hmacKey(), h.logoutToken(nil)),
	}
	for name, change := range map[string]map[string]any{
		"an ID token": {"events": nil, "nonce": "n"}, "without events": {"events": nil}, "with a nonce": {"nonce": "n"}, "about something else": {"events": map[string]any{"other": map[string]any{}}},
		"an event that is a text": {"events": map[string]any{logoutEvent: "yes"}}, "an event that is null": {"events": map[string]any{logoutEvent: nil}},
		"another issuer": {"iss": "https://evil.example"}, "another client": {"aud": "other"}, "without jti": {"jti": nil}, "about nobody": {"sub": nil, "sid": nil},
		"of yesterday": {"iat": clock.Now().Add(-24 * time.Hour).Unix()}, "of tomorrow": {"iat": clock.Now().Add(24 * time.Hour).Unix()}, "without a time": {"iat": nil},
		"expired": {"exp": clock.Now().Add(-time.Hour).Unix()},
	} {
		tokens[name] = h.sign(h.logoutToken(change))
	}
	for name, token := range tokens {
		if got, err := c.VerifyLogout(t.Context(), "evil", token); !errors.Is(err, identity.ErrLogoutInvalid) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := newHostileDown(t).VerifyLogout(t.Context(), "evil", "a.b.c"); !errors.Is(err, identity.ErrUnreachable) {
		t.Errorf("a service that is down: %v", err)
	}
}

// newHostileDown returns the client of a service that cannot be reached.
func newHostileDown(t *testing.T) *Client {
	t.Helper()
	h := newHostile(t)
	h.down.Store(true)
	return h.client(nil)
}
