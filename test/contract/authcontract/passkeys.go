package authcontract

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/factors"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authenticator"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func passkeyCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"a passkey signs in as both factors and as a recent proof":              passkeySignIn,
		"adding a passkey needs a recent proof and is mailed":                   passkeyNeedsProof,
		"a ceremony is finished once and by the browser that began":             passkeyCeremonyOnce,
		"an answer to another challenge, origin or service is refused":          passkeySwaps,
		"so is a new passkey for another challenge, origin or service":          passkeyRegistrationSwaps,
		"a key without its user's consent is refused":                           passkeyConsent,
		"somebody else's key or handle is refused":                              passkeyOwner,
		"a counter that falls is refused and recorded":                          passkeyCounter,
		"a removed passkey and that of a deleted account do not work":           passkeyGone,
		"a suspended person learns of it only after a valid proof":              passkeySuspended,
		"a passkey is registered in the session and account that began":         passkeyOtherSession,
		"an account has at most twenty passkeys, however many at once":          passkeyLimit,
		"malformed answers are refused":                                         passkeyMalformed,
		"the last passkey of an account without a password cannot be removed":   passkeyLast,
		"of the last two ways to sign in only one can be removed, even at once": passkeyLastAtOnce,
		"an identity at a removed provider does not count as a way to sign in":  passkeyBesideRemovedService,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

func newKey() *authenticator.Key { return authenticator.New("octavo.example", authkit.Origin) }

// provedCaller returns a caller with a recent proof.
func provedCaller(t *testing.T, k *authkit.Fixture, email string) user.Caller {
	t.Helper()
	k.CreateUser(t, email)
	by := k.CallerOf(t, k.SignIn(t, email))
	prove(t, k, by)
	return by
}

func prove(t *testing.T, k *authkit.Fixture, by user.Caller) {
	t.Helper()
	must.Do(t, k.Store.Sessions.ProveSession(ctx, by.ID, by.Session, session.Password, k.Clock.Now()))
}

func register(t *testing.T, k *authkit.Fixture, by user.Caller, key *authenticator.Key) passkey.Passkey {
	t.Helper()
	c := must.Get(k.Passkeys.BeginRegistration(ctx, by, " My phone "))(t)
	return must.Get(k.Passkeys.FinishRegistration(ctx, by, c.ID, key.Create(c.Options)))(t)
}

func signInWith(k *authkit.Fixture, sign func(options json.RawMessage) json.RawMessage) (auth.TokenPair, error) {
	c, err := k.Passkeys.BeginSignIn(ctx, authkit.Firefox)
	if err != nil {
		return auth.TokenPair{}, err
	}
	return k.Passkeys.FinishSignIn(ctx, c.ID, sign(c.Options), true, authkit.Firefox)
}

func passkeySignIn(t *testing.T, k *authkit.Fixture) {
	ann := provedCaller(t, k, "ann@u.edu")
	key := newKey()
	added := register(t, k, ann, key)
	if added.Name != "My phone" || !reflect.DeepEqual(added.Transports, []string{"internal", "hybrid"}) {
		t.Errorf("registered %+v", added)
	}
	k.Clock.Advance(time.Hour)
	g := must.Get(signInWith(k, key.Sign))(t)
	if g.User.ID != ann.ID || g.Session.Factors != 2 || !g.Session.RecentlyProved(k.Clock.Now()) || g.Session.IdleTimeout != session.IdleTimeoutRemembered {
		t.Fatalf("signed in as %+v", g)
	}
	again := register(t, k, k.CallerOf(t, g), newKey())
	all := must.Get(k.Passkeys.List(ctx, ann))(t)
	if len(all) != 2 || all[0].ID != added.ID || !all[0].LastUsedAt.Equal(k.Clock.Now()) || all[1].ID != again.ID || !all[1].LastUsedAt.IsZero() {
		t.Fatalf("passkeys are %+v", all)
	}
}

func passkeyNeedsProof(t *testing.T, k *authkit.Fixture) {
	ann := provedCaller(t, k, "ann@u.edu")
	c := must.Get(k.Passkeys.BeginRegistration(ctx, ann, "Key"))(t)
	k.Clock.Advance(session.ProofLifetime)
	_, err := k.Passkeys.BeginRegistration(ctx, ann, "Key")
	want(t, err, user.ErrProofNeeded)
	if f := fault.As(err); f.Details["reason"] != "REAUTHENTICATE" {
		t.Errorf("details are %v", f.Details)
	}
	want(t, must.Err(k.Passkeys.FinishRegistration(ctx, ann, c.ID, newKey().Create(c.Options))), user.ErrProofNeeded)
	want(t, k.Passkeys.Remove(ctx, ann, 1), user.ErrProofNeeded)
	want(t, must.Err(k.Passkeys.BeginRegistration(ctx, user.Caller{}, "Key")), user.ErrUnauthenticated)
	if n := len(k.Mails(message.PasskeyAdded, "ann@u.edu")); n != 0 {
		t.Errorf("%d mails before a passkey was added, want 0", n)
	}
	prove(t, k, ann)
	register(t, k, ann, newKey())
	if n := len(k.Mails(message.PasskeyAdded, "ann@u.edu")); n != 1 {
		t.Errorf("%d mails about a passkey, want 1", n)
	}
}

func passkeyCeremonyOnce(t *testing.T, k *authkit.Fixture) {
	ann := provedCaller(t, k, "ann@u.edu")
	key := newKey()
	register(t, k, ann, key)
	c := must.Get(k.Passkeys.BeginSignIn(ctx, authkit.Firefox))(t)
	response := key.Sign(c.Options)
	var started atomic.Int32
	must.Together(8, func(int) {
		if _, err := k.Passkeys.FinishSignIn(ctx, c.ID, response, false, authkit.Firefox); err == nil {
			started.Add(1)
		} else if !errors.Is(err, challenge.ErrCeremonyInvalid) {
			t.Error(err)
		}
	})
	if started.Load() != 1 {
		t.Errorf("one answer started %d sessions, want 1", started.Load())
	}
	c = must.Get(k.Passkeys.BeginSignIn(ctx, authkit.Firefox))(t)
	want(t, must.Err(k.Passkeys.FinishSignIn(ctx, c.ID, key.Sign(c.Options), false, authkit.Chrome)), challenge.ErrCeremonyInvalid)
	c = must.Get(k.Passkeys.BeginSignIn(ctx, authkit.Firefox))(t)
	k.Clock.Advance(passkey.Lifetime)
	want(t, must.Err(k.Passkeys.FinishSignIn(ctx, c.ID, key.Sign(c.Options), false, authkit.Firefox)), challenge.ErrCeremonyInvalid)
	for _, id := range []string{"", "x", strings.Repeat("A", 43), strings.Repeat("A", 4300)} {
		want(t, must.Err(k.Passkeys.FinishSignIn(ctx, id, response, false, authkit.Firefox)), challenge.ErrCeremonyInvalid)
	}
}

func passkeySwaps(t *testing.T, k *authkit.Fixture) {
	ann := provedCaller(t, k, "ann@u.edu")
	key := newKey()
	register(t, k, ann, key)
	other := must.Get(k.Passkeys.BeginSignIn(ctx, authkit.Firefox))(t)
	registration := must.Get(k.Passkeys.BeginRegistration(ctx, ann, "Key"))(t)
	for name, sign := range map[string]func(k authenticator.Key, options json.RawMessage) json.RawMessage{
		"another ceremony's challenge": func(k authenticator.Key, _ json.RawMessage) json.RawMessage { return k.Sign(other.Options) },
		"the challenge of a registration": func(k authenticator.Key, _ json.RawMessage) json.RawMessage {
			return k.Sign(registration.Options)
		},
		"another origin": func(k authenticator.Key, o json.RawMessage) json.RawMessage {
			k.Origin = "https://octavo.example.evil.test"
			return k.Sign(o)
		},
		"the origin over http": func(k authenticator.Key, o json.RawMessage) json.RawMessage {
			k.Origin = "http://octavo.example"
			return k.Sign(o)
		},
		"the origin of localhost": func(k authenticator.Key, o json.RawMessage) json.RawMessage {
			k.Origin = "http://localhost:3000"
			return k.Sign(o)
		},
		"another relying party": func(k authenticator.Key, o json.RawMessage) json.RawMessage {
			k.Party = "evil.test"
			return k.Sign(o)
		},
		"a signature for a creation": func(k authenticator.Key, o json.RawMessage) json.RawMessage {
			k.ClientData = func(d map[string]any) { d["type"] = "webauthn.create" }
			return k.Sign(o)
		},
		"an empty challenge": func(k authenticator.Key, o json.RawMessage) json.RawMessage {
			k.ClientData = func(d map[string]any) { d["challenge"] = "" }
			return k.Sign(o)
		},
		"the answer to a creation": func(k authenticator.Key, o json.RawMessage) json.RawMessage { return k.Create(registration.Options) },
	} {
		_, err := signInWith(k, func(o json.RawMessage) json.RawMessage { return sign(*key, o) })
		if !errors.Is(err, passkey.ErrInvalid) {
			t.Errorf("%s: %v, want %v", name, err, passkey.ErrInvalid)
		}
	}
}

func passkeyRegistrationSwaps(t *testing.T, k *authkit.Fixture) {
	ann := provedCaller(t, k, "ann@u.edu")
	registration := must.Get(k.Passkeys.BeginRegistration(ctx, ann, "Key"))(t)
	for name, create := range map[string]func(k *authenticator.Key, o json.RawMessage) json.RawMessage{
		"another origin": func(k *authenticator.Key, o json.RawMessage) json.RawMessage {
			k.Origin = "https://evil.test"
			return k.Create(o)
		},
		"another relying party": func(k *authenticator.Key, o json.RawMessage) json.RawMessage {
			k.Party = "evil.test"
			return k.Create(o)
		},
		"another challenge": func(k *authenticator.Key, _ json.RawMessage) json.RawMessage { return k.Create(registration.Options) },
		"a signature":       func(k *authenticator.Key, o json.RawMessage) json.RawMessage { return k.Sign(o) },
	} {
		c := must.Get(k.Passkeys.BeginRegistration(ctx, ann, "Key"))(t)
		if _, err := k.Passkeys.FinishRegistration(ctx, ann, c.ID, create(newKey(), c.Options)); !errors.Is(err, passkey.ErrInvalid) {
			t.Errorf("registration with %s: %v, want %v", name, err, passkey.ErrInvalid)
		}
	}
}

func passkeyConsent(t *testing.T, k *authkit.Fixture) {
	ann := provedCaller(t, k, "ann@u.edu")
	key := newKey()
	register(t, k, ann, key)
	for _, flags := range []byte{0, authenticator.UserPresent, authenticator.UserVerified} {
		careless := *key
		careless.Flags = flags
		if _, err := signInWith(k, careless.Sign); !errors.Is(err, passkey.ErrInvalid) {
			t.Errorf("flags %x: %v, want %v", flags, err, passkey.ErrInvalid)
		}
		c := must.Get(k.Passkeys.BeginRegistration(ctx, ann, "Key"))(t)
		made := newKey()
		made.Flags = flags
		if _, err := k.Passkeys.FinishRegistration(ctx, ann, c.ID, made.Create(c.Options)); !errors.Is(err, passkey.ErrInvalid) {
			t.Errorf("registration with flags %x: %v, want %v", flags, err, passkey.ErrInvalid)
		}
	}
}

func passkeyOwner(t *testing.T, k *authkit.Fixture) {
	ann, bob := provedCaller(t, k, "ann@u.edu"), provedCaller(t, k, "bob@u.edu")
	mine, other := newKey(), newKey()
	register(t, k, ann, mine)
	register(t, k, bob, other)
	stolen := *mine
	stolen.UserHandle = other.UserHandle
	forged := *other
	forged.Private = mine.Private
	unknown := newKey()
	unknown.UserHandle = mine.UserHandle
	nobody := *mine
	nobody.UserHandle = nil
	for name, key := range map[string]*authenticator.Key{"another user's handle": &stolen, "another key": &forged, "an unknown credential": unknown, "no handle": &nobody} {
		must.Refuse(t, must.Err(signInWith(k, key.Sign)), passkey.ErrInvalid, name)
	}
	c := must.Get(k.Passkeys.BeginRegistration(ctx, bob, "Key"))(t)
	_, err := k.Passkeys.FinishRegistration(ctx, bob, c.ID, mine.Create(c.Options))
	want(t, err, passkey.ErrInvalid) // the credential is ann's
}

func passkeyCounter(t *testing.T, k *authkit.Fixture) {
	ann := provedCaller(t, k, "ann@u.edu")
	key := newKey()
	key.Counter = 7
	register(t, k, ann, key)
	copied := *key
	for range 3 {
		must.Get(signInWith(k, key.Sign))(t)
	}
	want(t, must.Err(signInWith(k, copied.Sign)), passkey.ErrInvalid)
	entries := must.Get(k.Store.Identity.ListAuditEntries(ctx, account.AuditFilter{User: ann.ID}, 0, 1))(t)
	if len(entries) != 1 || entries[0].Action != "passkey.refused" {
		t.Errorf("the newest entries are %+v", entries)
	}
	must.Get(signInWith(k, key.Sign))(t)
}

func passkeySuspended(t *testing.T, k *authkit.Fixture) {
	ann := provedCaller(t, k, "ann@u.edu")
	key := newKey()
	register(t, k, ann, key)
	u := must.Get(k.Store.Identity.FindUser(ctx, ann.ID))(t)
	u.SuspendedAt = k.Clock.Now()
	atomically(t, k.Store, func(ctx context.Context, st auth.Stores) error { return st.SaveUser(ctx, u) })
	want(t, must.Err(signInWith(k, key.Sign)), user.ErrSuspended)
	careless := *key
	careless.Flags = authenticator.UserPresent
	want(t, must.Err(signInWith(k, careless.Sign)), passkey.ErrInvalid)
}

func passkeyOtherSession(t *testing.T, k *authkit.Fixture) {
	ann, bob := provedCaller(t, k, "ann@u.edu"), provedCaller(t, k, "bob@u.edu")
	other := k.CallerOf(t, k.SignIn(t, "ann@u.edu"))
	prove(t, k, other)
	for _, by := range []user.Caller{bob, other} {
		c := must.Get(k.Passkeys.BeginRegistration(ctx, ann, "Key"))(t)
		want(t, must.Err(k.Passkeys.FinishRegistration(ctx, by, c.ID, newKey().Create(c.Options))), challenge.ErrCeremonyInvalid)
	}
	for name, err := range map[string]error{"": passkey.ErrNameInvalid, strings.Repeat("x", 101): passkey.ErrNameInvalid} {
		_, got := k.Passkeys.BeginRegistration(ctx, ann, name)
		want(t, got, err)
	}
}

func passkeyLimit(t *testing.T, k *authkit.Fixture) {
	ann := provedCaller(t, k, "ann@u.edu")
	for range passkey.MaxPerUser - 2 {
		register(t, k, ann, newKey())
	}
	var begun []factors.PasskeyCeremony
	for range 6 {
		c := must.Get(k.Passkeys.BeginRegistration(ctx, ann, "Key"))(t)
		begun = append(begun, c)
	}
	var all sync.WaitGroup
	for _, c := range begun {
		all.Go(func() {
			if _, err := k.Passkeys.FinishRegistration(ctx, ann, c.ID, newKey().Create(c.Options)); err != nil && !errors.Is(err, passkey.ErrTooMany) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	has := must.Get(k.Passkeys.List(ctx, ann))(t)
	if len(has) != passkey.MaxPerUser {
		t.Errorf("%d passkeys, want %d", len(has), passkey.MaxPerUser)
	}
	want(t, must.Err(k.Passkeys.BeginRegistration(ctx, ann, "Key")), passkey.ErrTooMany)
}

func passkeyMalformed(t *testing.T, k *authkit.Fixture) {
	ann := provedCaller(t, k, "ann@u.edu")
	for _, response := range []string{"null", "{}", "[]", `"x"`, "7", `{"id":"AA","rawId":"AA","type":"public-key","response":{}}`, `{"response":{"clientDataJSON":"e30"}}`, "{\"a\":\"" + strings.Repeat("x", 40<<10) + "\"}"} {
		want(t, must.Err(signInWith(k, func(json.RawMessage) json.RawMessage { return json.RawMessage(response) })), passkey.ErrInvalid)
		c := must.Get(k.Passkeys.BeginRegistration(ctx, ann, "Key"))(t)
		want(t, must.Err(k.Passkeys.FinishRegistration(ctx, ann, c.ID, json.RawMessage(response))), passkey.ErrInvalid)
	}
}
