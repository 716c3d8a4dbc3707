package auth_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

// useCase is what fails at one port after the other.
type useCase func(k *authkit.Fixture) error

// preparation sets up the data of a use case and returns it.
type preparation func(t *testing.T, k *authkit.Fixture) useCase

// canBeRepeated requires that a use case returns the error of any port that fails, and succeeds when it is
// repeated after the port works again, because the failed run was rolled back.
func canBeRepeated(t *testing.T, useCases map[string]preparation) {
	t.Helper()
	for name, prepare := range useCases {
		t.Run(name, func(t *testing.T) { failEverywhere(t, prepare) })
	}
}

func TestASignUpThatFailsAnywhereCanBeRepeated(t *testing.T) {
	ctx := context.Background()
	canBeRepeated(t, map[string]preparation{
		"sign up": func(*testing.T, *authkit.Fixture) useCase {
			return func(k *authkit.Fixture) error {
				return k.Accounts.SignUp(ctx, account.SignUpRequest{Email: "new@example.org", Password: authkit.Password})
			}
		},
		"resend": func(t *testing.T, k *authkit.Fixture) useCase {
			return func(k *authkit.Fixture) error {
				return k.Accounts.ResendVerification(ctx, account.ResendRequest{Email: "ann@example.org"})
			}
		},
		"verify a disputed sign-up": func(t *testing.T, k *authkit.Fixture) useCase {
			for _, p := range []string{authkit.Password, "another password"} {
				must.Do(t, k.Accounts.SignUp(ctx, account.SignUpRequest{Email: "new@example.org", Password: p}))
			}
			code := k.LastMail(t, message.Verification, "new@example.org").Code
			return func(k *authkit.Fixture) error {
				return k.Accounts.VerifyEmail(ctx, "new@example.org", code, authkit.Firefox)
			}
		},
		"confirm a link": func(t *testing.T, k *authkit.Fixture) useCase {
			must.Do(t, k.Accounts.SignUp(ctx, account.SignUpRequest{Email: "new@example.org", Password: authkit.Password, ByLink: true}))
			link := k.LastMail(t, message.Verification, "new@example.org").Link
			return func(k *authkit.Fixture) error {
				return k.Accounts.ConfirmLink(ctx, link[strings.LastIndex(link, "/")+1:], "", authkit.Firefox)
			}
		},
		"invite": func(t *testing.T, k *authkit.Fixture) useCase {
			admin := k.CreateCaller(t, "root@example.org", user.Admin)
			return func(k *authkit.Fixture) error {
				return must.Err(k.Invitations.Invite(ctx, admin, "new@example.org", user.EN))
			}
		},
		"accept": func(t *testing.T, k *authkit.Fixture) useCase {
			admin := k.CreateCaller(t, "root@example.org", user.Admin)
			must.Get(k.Invitations.Invite(ctx, admin, "new@example.org", user.EN))(t)
			_, token, _ := strings.Cut(k.LastMail(t, message.Invitation, "new@example.org").Link, "token=")
			password := authkit.Password
			return func(k *authkit.Fixture) error {
				return must.Err(k.Invitations.Accept(ctx, token, &password, authkit.Firefox))
			}
		},
	})
}

func TestASignInOrASessionsEndThatFailsAnywhereCanBeRepeated(t *testing.T) {
	ctx := context.Background()
	canBeRepeated(t, map[string]preparation{
		"sign in": func(*testing.T, *authkit.Fixture) useCase {
			return func(k *authkit.Fixture) error {
				return must.Err(k.SignIns.SignIn(ctx, signin.Request{Email: "ann@example.org", Password: authkit.Password, From: authkit.Firefox}))
			}
		},
		"refresh": func(t *testing.T, k *authkit.Fixture) useCase {
			g := k.SignIn(t, "ann@example.org")
			return func(k *authkit.Fixture) error {
				return must.Err(k.Sessions.Refresh(ctx, g.RefreshToken, authkit.Firefox))
			}
		},
		"authenticate": func(t *testing.T, k *authkit.Fixture) useCase {
			g := k.SignIn(t, "ann@example.org")
			k.Clock.Advance(time.Minute)
			return func(k *authkit.Fixture) error {
				return must.Err(k.Authenticator.Authenticate(ctx, g.AccessToken, authkit.Firefox))
			}
		},
		"revoke": func(t *testing.T, k *authkit.Fixture) useCase {
			by, g := k.CallerOf(t, k.SignIn(t, "ann@example.org")), k.SignIn(t, "ann@example.org")
			return func(k *authkit.Fixture) error { return k.Sessions.Revoke(ctx, by, g.Session.ID) }
		},
		"revoke others": func(t *testing.T, k *authkit.Fixture) useCase {
			by := k.CallerOf(t, k.SignIn(t, "ann@example.org"))
			k.SignIn(t, "ann@example.org")
			return func(k *authkit.Fixture) error { _, err := k.Sessions.RevokeOthers(ctx, by); return err }
		},
		"request a sign-in code": func(*testing.T, *authkit.Fixture) useCase {
			return func(k *authkit.Fixture) error {
				return k.SignIns.RequestCode(ctx, "ann@example.org", user.EN, authkit.Firefox)
			}
		},
	})
}

func TestAChangeOfAnAccountThatFailsAnywhereCanBeRepeated(t *testing.T) {
	ctx := context.Background()
	canBeRepeated(t, map[string]preparation{
		"request a reset": func(*testing.T, *authkit.Fixture) useCase {
			return func(k *authkit.Fixture) error {
				return k.Passwords.RequestReset(ctx, "ann@example.org", user.EN, authkit.Firefox)
			}
		},
		"reset": func(t *testing.T, k *authkit.Fixture) useCase {
			must.Do(t, k.Passwords.RequestReset(ctx, "ann@example.org", user.EN, authkit.Firefox))
			code := k.LastMail(t, message.PasswordReset, "ann@example.org").Code
			return func(k *authkit.Fixture) error {
				return k.Passwords.Reset(ctx, "ann@example.org", code, "another password", authkit.Firefox)
			}
		},
		"change": func(t *testing.T, k *authkit.Fixture) useCase {
			by := k.CallerOf(t, k.SignIn(t, "ann@example.org"))
			return func(k *authkit.Fixture) error {
				return k.Passwords.Change(ctx, by, authkit.Password, "another password")
			}
		},
		"change the profile": func(t *testing.T, k *authkit.Fixture) useCase {
			ann := k.CreateCaller(t, "ann@u.edu", user.Regular)
			x := "x"
			return func(k *authkit.Fixture) error {
				return must.Err(k.Users.UpdateProfile(ctx, ann, account.ProfileChange{FirstName: &x, LastName: &x, University: &x, CampusMailbox: &x, PaymentUsername: &x}))
			}
		},
	})
}

func TestAnActionOfAnAdminThatFailsAnywhereCanBeRepeated(t *testing.T) {
	ctx := context.Background()
	canBeRepeated(t, map[string]preparation{
		"set a role": func(t *testing.T, k *authkit.Fixture) useCase {
			owner, ann := k.CreateCaller(t, "root@example.org", user.Owner), k.CreateUser(t, "bob@example.org")
			return func(k *authkit.Fixture) error { _, err := k.Users.SetRole(ctx, owner, ann.ID, user.Admin); return err }
		},
		"set a password": func(t *testing.T, k *authkit.Fixture) useCase {
			admin, ann := k.CreateCaller(t, "root@example.org", user.Admin), k.CreateUser(t, "bob@example.org")
			return func(k *authkit.Fixture) error { return k.Users.SetPassword(ctx, admin, ann.ID, "another password") }
		},
		"end sessions": func(t *testing.T, k *authkit.Fixture) useCase {
			admin, ann := k.CreateCaller(t, "root@example.org", user.Admin), k.CreateUser(t, "bob@example.org")
			return func(k *authkit.Fixture) error { _, err := k.Users.EndSessions(ctx, admin, ann.ID); return err }
		},
		"delete": func(t *testing.T, k *authkit.Fixture) useCase {
			admin, ann := k.CreateCaller(t, "root@example.org", user.Admin), k.CreateUser(t, "bob@example.org")
			return func(k *authkit.Fixture) error { _, err := k.Users.Delete(ctx, admin, []user.ID{ann.ID}); return err }
		},
		"import": func(*testing.T, *authkit.Fixture) useCase {
			return func(k *authkit.Fixture) error {
				return must.Err(k.Users.Import(ctx, strings.NewReader("old@example.org,x:y\n"), account.ImportOptions{}))
			}
		},
		"promote": func(*testing.T, *authkit.Fixture) useCase {
			return func(k *authkit.Fixture) error { return must.Err(k.Users.Promote(ctx, "ann@example.org", user.Admin)) }
		},
	})
}

// failEverywhere fails the first call of a port, then the second, and so on, until the
// use case makes fewer calls than that.
func failEverywhere(t *testing.T, prepare preparation) {
	for n := 1; n < 100; n++ {
		f := &faultInjector{}
		k := newFailingFixture(t, f)
		k.CreateUser(t, "ann@example.org")
		run := prepare(t, k)
		entries, events := auditEntries(t, k), len(fake.PeekEvents(t, k.Store.Events))
		f.remaining = n
		err := run(k)
		failed := f.remaining <= 0
		f.remaining = 0
		if auditEntries(t, k) == entries && len(fake.PeekEvents(t, k.Store.Events)) != events {
			t.Fatalf("a failure at call %d left an event of a change that was rolled back", n)
		}
		switch {
		case !failed && err == nil && n > 1:
			return
		case err == nil:
			continue // this failure is only logged
		case !errors.Is(err, errBoom):
			t.Fatalf("at call %d: %v", n, err)
		}
		if err := run(k); err != nil && !signInAfterAll(t, k, err) {
			t.Fatalf("repeated after a failure at call %d: %v", n, err)
		}
	}
	t.Fatal("the use case called no port, or too many")
}

// auditEntries counts what has happened to accounts.
func auditEntries(t *testing.T, k *authkit.Fixture) int {
	t.Helper()
	all := must.Get(k.Store.Identity.ListAuditEntries(t.Context(), account.AuditFilter{}, 0, 1000))(t)
	return len(all)
}

// signInAfterAll reports whether an invitation was accepted and only the sign-in that
// follows it failed.
func signInAfterAll(t *testing.T, k *authkit.Fixture, err error) bool {
	t.Helper()
	if !errors.Is(err, challenge.ErrCodeInvalid) {
		return false
	}
	_, err = k.SignIns.SignIn(context.Background(), signin.Request{Email: "new@example.org", Password: authkit.Password})
	return err == nil
}

func TestSignUpAndResetFailWithoutRandomness(t *testing.T) {
	k := authkit.New(t, onSQLite(t), func(p *authrooms.Ports, _ *auth.Config) { p.Random = iotest.ErrReader(io.ErrUnexpectedEOF) })
	ctx := context.Background()
	for name, err := range map[string]error{
		"sign up": k.Accounts.SignUp(ctx, account.SignUpRequest{Email: "ann@example.org", Password: authkit.Password}),
		"reset":   k.Passwords.RequestReset(ctx, "ann@example.org", user.EN, authkit.Firefox),
	} {
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSignUpCanBeDisabled(t *testing.T) {
	k := authkit.New(t, onSQLite(t), func(_ *authrooms.Ports, c *auth.Config) { c.AllowRegistration = false })
	err := k.Accounts.SignUp(context.Background(), account.SignUpRequest{Email: "ann@example.org", Password: authkit.Password})
	if !errors.Is(err, auth.ErrRegistrationDisabled) {
		t.Error(err)
	}
}

func TestTheErrorOfABadSettingNamesIt(t *testing.T) {
	good := auth.Config{
		CodeKey: challenge.Key{1}, BaseURL: "https://octavo.example", InviteURL: "https://octavo.example/invitation?from=mail",
		AccessTTL: time.Minute, MaxSessions: 1, Rules: auth.DefaultLimits(),
	}
	must.Do(t, good.Validate())
	for word, change := range map[string]func(*auth.Config){
		"key":                   func(c *auth.Config) { c.CodeKey = challenge.Key{} },
		"BASE_URL":              func(c *auth.Config) { c.BaseURL = "octavo.example" },
		"INVITE_URL":            func(c *auth.Config) { c.InviteURL = "javascript:alert(1)" },
		"ACCESS_TOKEN_TTL":      func(c *auth.Config) { c.AccessTTL = 0 },
		"MAX_SESSIONS_PER_USER": func(c *auth.Config) { c.MaxSessions = 0 },
		"limit":                 func(c *auth.Config) { c.Rules.Codes = limit.Rule{} },
	} {
		bad := good
		change(&bad)
		if _, err := authrooms.New(authrooms.Ports{}, bad); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", word, err)
		}
	}
}
