package authcontract

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// Clients tests provider.Reader and provider.Store.
func Clients(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"a client is found as it was added, until it is deleted": clientRoundTrip,
		"a grant is found as it was saved, until it is deleted":  grantRoundTrip,
		"the users of a client are listed in pages":              grantees,
		"a deleted user leaves no grant":                         grantsErased,
		"grants are deleted by the time of their last change":    grantsSince,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

func someClient(id string) openid.Client {
	return openid.Client{
		ID: id, Name: "Lucy’s app", SecretHash: openid.HashSecret("s3cret"), RedirectURIs: []string{"https://a.example/cb", "http://127.0.0.1/cb"},
		PostLogoutRedirectURIs: []string{"https://a.example/"}, FirstParty: true, IDTokenAlg: openid.ES512, CreatedAt: monday,
		PreviousSecretHash: openid.HashSecret("before"), PreviousSecretUntil: monday.Add(time.Hour), PKCEOptional: true, RequireACR: session.TwoFactors.String(),
		BackchannelLogoutURI: "https://a.example/back", FrontchannelLogoutURI: "https://a.example/front",
		AccessLifetime: 5 * time.Minute, SessionLifetime: 30 * 24 * time.Hour, LogoURI: "https://a.example/logo.png", PolicyURI: "https://a.example/policy", TermsURI: "https://a.example/terms",
	}
}

func change(t *testing.T, k *authkit.Fixture, fn func(provider.Store) error) {
	t.Helper()
	must.Do(t, k.Store.Identity.Atomically(ctx, func(_ context.Context, st auth.Stores) error { return fn(k.Store.Identity.ProviderStore(st)) }))
}

func clientRoundTrip(t *testing.T, k *authkit.Fixture) {
	s := k.Store.Identity
	want(t, must.Err(s.FindClient(ctx, "8")), openid.ErrClientNotFound)
	first, second := someClient("8"), openid.Client{ID: "7", Name: "B", RedirectURIs: []string{"com.example.app:/cb"}, Public: true, IDTokenAlg: openid.RS256, CreatedAt: monday.Add(time.Second)}
	for _, c := range []openid.Client{second, first} {
		change(t, k, func(st provider.Store) error { return st.SaveClient(ctx, c) })
		if found, err := s.FindClient(ctx, c.ID); err != nil || !reflect.DeepEqual(found, c) {
			t.Fatalf("added %+v, found %+v, %v", c, found, err)
		}
	}
	if all, err := s.ListClients(ctx); err != nil || !reflect.DeepEqual(all, []openid.Client{first, second}) {
		t.Fatalf("listed %+v, %v", all, err)
	}
	changed := someClient("7")
	changed.Name, changed.Public, changed.FirstParty, changed.PostLogoutRedirectURIs = "C", true, false, nil
	change(t, k, func(st provider.Store) error {
		must.Refuse(t, must.Err(st.LockClient(ctx, "9")), openid.ErrClientNotFound, "an unknown client")
		if found, err := st.LockClient(ctx, "7"); err != nil || !reflect.DeepEqual(found, second) {
			t.Errorf("locked %+v, %v", found, err)
		}
		return st.SaveClient(ctx, changed)
	})
	if all, err := s.ListClients(ctx); err != nil || !slices.EqualFunc(all, []openid.Client{changed, first}, func(a, b openid.Client) bool { return reflect.DeepEqual(a, b) }) {
		t.Fatalf("listed %+v, %v", all, err)
	}
	change(t, k, func(st provider.Store) error { return st.SaveClient(ctx, second) })
	if found, err := s.FindClient(ctx, "7"); err != nil || !reflect.DeepEqual(found, second) {
		t.Fatalf("a value that was taken away is found: %+v, %v", found, err)
	}
	for _, expected := range []bool{true, false} {
		change(t, k, func(st provider.Store) error {
			if found, err := st.DeleteClient(ctx, "8"); err != nil || found != expected {
				t.Errorf("deleted: %v, %v; want %v", found, err, expected)
			}
			return nil
		})
	}
	want(t, must.Err(s.FindClient(ctx, "8")), openid.ErrClientNotFound)
}

func grantRoundTrip(t *testing.T, k *authkit.Fixture) {
	ann := k.CreateUser(t, "ann@u.edu").ID
	g := openid.Grant{User: ann, Client: "8", Scopes: "openid", CreatedAt: monday, ChangedAt: monday.Add(time.Minute)}
	change(t, k, func(st provider.Store) error {
		must.Refuse(t, must.Err(st.LockGrant(ctx, ann, "8")), openid.ErrGrantNotFound, "found a grant")
		return st.SaveGrant(ctx, g)
	})
	g.Scopes = "openid email"
	change(t, k, func(st provider.Store) error { return st.SaveGrant(ctx, g) })
	change(t, k, func(st provider.Store) error {
		if found, err := st.LockGrant(ctx, ann, "8"); err != nil || found != g {
			t.Errorf("saved %+v, found %+v, %v", g, found, err)
		}
		return st.SaveGrant(ctx, openid.Grant{User: ann, Client: "7", Scopes: "openid", CreatedAt: monday.Add(time.Second), ChangedAt: monday.Add(time.Second)})
	})
	if all, err := k.Store.Identity.ListGrants(ctx, ann); err != nil || len(all) != 2 || all[0] != g {
		t.Fatalf("listed %+v, %v", all, err)
	}
	if all, err := k.Store.Identity.ListGrants(ctx, ann+1); err != nil || len(all) != 0 {
		t.Fatalf("another user has %+v, %v", all, err)
	}
	for _, expected := range []bool{true, false} {
		change(t, k, func(st provider.Store) error {
			if found, err := st.DeleteGrant(ctx, ann, "8"); err != nil || found != expected {
				t.Errorf("deleted: %v, %v; want %v", found, err, expected)
			}
			return nil
		})
	}
}

func grantees(t *testing.T, k *authkit.Fixture) {
	ids := []user.ID{k.CreateUser(t, "ann@u.edu").ID, k.CreateUser(t, "bob@u.edu").ID, k.CreateUser(t, "cy@u.edu").ID}
	change(t, k, func(st provider.Store) error {
		for _, of := range []user.ID{ids[2], ids[0], ids[1]} {
			if err := st.SaveGrant(ctx, openid.Grant{User: of, Client: "8", Scopes: "openid", CreatedAt: monday, ChangedAt: monday.Add(time.Minute)}); err != nil {
				return err
			}
		}
		return st.SaveGrant(ctx, openid.Grant{User: ids[0], Client: "7", Scopes: "openid", CreatedAt: monday, ChangedAt: monday.Add(time.Minute)})
	})
	for after, expected := range map[user.ID][]user.ID{0: ids[:2], ids[0]: ids[1:], ids[1]: ids[2:], ids[2]: nil} {
		if all, err := k.Store.Identity.ListGrantees(ctx, "8", after, 2); err != nil || len(all) != len(expected) || len(all) > 0 && !reflect.DeepEqual(all, expected) {
			t.Errorf("after %d: %v, %v", after, all, err)
		}
	}
}

func grantsErased(t *testing.T, k *authkit.Fixture) {
	ann := k.CreateUser(t, "ann@u.edu").ID
	change(t, k, func(st provider.Store) error {
		return st.SaveGrant(ctx, openid.Grant{User: ann, Client: "8", Scopes: "openid", CreatedAt: monday, ChangedAt: monday.Add(time.Minute)})
	})
	must.Do(t, k.Store.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		return k.Store.Identity.AccountStore(st).EraseUsers(ctx, []user.ID{ann}, monday)
	}))
	if all, err := k.Store.Identity.ListGrantees(ctx, "8", 0, 9); err != nil || len(all) != 0 {
		t.Fatalf("%v, %v", all, err)
	}
}

func grantsSince(t *testing.T, k *authkit.Fixture) {
	ann, bob := k.CreateUser(t, "ann@u.edu").ID, k.CreateUser(t, "bob@u.edu").ID
	older := openid.Grant{User: ann, Client: "7", Scopes: "openid", CreatedAt: monday, ChangedAt: monday}
	other := openid.Grant{User: bob, Client: "8", Scopes: "openid", CreatedAt: monday, ChangedAt: monday.Add(time.Hour)}
	change(t, k, func(st provider.Store) error {
		extended, since := older, older
		extended.Client, extended.ChangedAt = "8", monday.Add(time.Second)
		since.Client, since.CreatedAt, since.ChangedAt = "9", monday.Add(time.Hour), monday.Add(time.Hour)
		for _, g := range []openid.Grant{older, other, extended, since} {
			if err := st.SaveGrant(ctx, g); err != nil {
				return err
			}
		}
		return st.DeleteGrantsSince(ctx, ann, monday.Add(time.Second))
	})
	for of, kept := range map[user.ID]openid.Grant{ann: older, bob: other} {
		if all, err := k.Store.Identity.ListGrants(ctx, of); err != nil || len(all) != 1 || all[0] != kept {
			t.Errorf("user %d has %+v, %v", of, all, err)
		}
	}
}
