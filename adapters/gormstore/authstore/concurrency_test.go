package authstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

// randomCalls runs all operations on a few addresses in random order.
type randomCalls struct {
	*authkit.Fixture
	admin     user.Caller
	addresses []string
}

// Concurrent requests for mails to an address, entered codes, invitations and deletions wait
// for each other without a deadlock.
func TestConcurrentOperationsOnAnAddressNeverDeadlock(t *testing.T) {
	dsn := database.PostgresURL(t)
	db := database.Connect(t, dsn)
	must.Do(t, db.Migrate(t.Context(), authstore.Migrations, outboxstore.Migrations, workstore.Migrations))
	c := randomCalls{addresses: []string{"ann@example.org", "bob@example.org"}}
	c.Fixture = authkit.New(t, stores(t, db), func(_ *authrooms.Ports, config *auth.Config) {
		unlimited := limit.Rule{Burst: 1_000_000, Period: time.Hour}
		config.Rules = auth.LimitRules{SignInFailures: unlimited, SignIns: unlimited, SignUps: unlimited, MailRequests: unlimited, Codes: unlimited,
			SignUpMails: []limit.Rule{unlimited}, Mails: []limit.Rule{unlimited}, TotpFailures: unlimited, AccountFailures: limit.Rule{Burst: 1, Period: time.Hour}}
	})
	c.admin = c.CreateCaller(t, "root@example.org", user.Owner)

	must.Together(12, func(i int) {
		for range 60 {
			if err := c.act(t.Context(), i); unexpected(err) {
				t.Error(err)
			}
		}
	})
	for _, address := range c.addresses {
		c.canStillJoin(t, address)
	}
	if n := database.Deadlocks(t, dsn); n != 0 {
		t.Errorf("Postgres detected %d deadlocks", n)
	}
}

// unexpected reports errors other than the refusals that concurrent operations cause.
func unexpected(err error) bool {
	var refused *fault.Error
	return err != nil && (!errors.As(err, &refused) || refused.Kind == fault.Unavailable)
}

func (c randomCalls) act(ctx context.Context, who int) error {
	address := c.addresses[rand.IntN(len(c.addresses))]
	from := user.ClientInfo{IP: fmt.Sprintf("192.0.2.%d", who)}
	byLink := rand.IntN(2) == 0
	switch rand.IntN(12) {
	case 0:
		return c.Accounts.SignUp(ctx, account.SignUpRequest{Email: address, Password: authkit.Password, ByLink: byLink, From: from})
	case 1, 2:
		return c.Accounts.ResendVerification(ctx, account.ResendRequest{Email: address, ByLink: byLink, From: from})
	case 3:
		return c.verify(ctx, address, from)
	case 4:
		return c.Passwords.RequestReset(ctx, address, user.EN, from)
	case 5:
		return c.Passwords.Reset(ctx, address, c.newest(message.PasswordReset, address).Code, authkit.Password, from)
	case 6:
		return must.Err(c.Invitations.Invite(ctx, c.admin, address, user.EN))
	case 7:
		return c.answer(ctx, address, from)
	case 8:
		return must.Err(c.SignIns.SignIn(ctx, signin.Request{Email: address, Password: authkit.Password, From: from}))
	case 9:
		return c.guess(ctx, address, from)
	}
	u, err := c.Store.Identity.FindUserByEmail(ctx, user.Email(address))
	if err != nil {
		return err
	}
	if byLink {
		return must.Err(c.Users.EndSessions(ctx, c.admin, u.ID))
	}
	return must.Err(c.Users.Delete(ctx, c.admin, []user.ID{u.ID}))
}

// verify enters the code or follows the link of the newest verification mail.
func (c randomCalls) verify(ctx context.Context, address string, from user.ClientInfo) error {
	m := c.newest(message.Verification, address)
	if m.Link == "" {
		return c.Accounts.VerifyEmail(ctx, address, m.Code, from)
	}
	return c.Accounts.ConfirmLink(ctx, m.Link[strings.LastIndex(m.Link, "/")+1:], "", from)
}

// guess signs in from a new client with a password that may be wrong, and approves the newest
// client that waits for it.
func (c randomCalls) guess(ctx context.Context, address string, from user.ClientInfo) error {
	from.IP = fmt.Sprintf("198.18.%d.%d", rand.IntN(256), rand.IntN(256))
	typed := []string{"wrong wrong wrong", authkit.Password}[rand.IntN(2)]
	if _, err := c.SignIns.SignIn(ctx, signin.Request{Email: address, Password: typed, From: from}); err == nil || unexpected(err) {
		return err
	}
	_, token, _ := strings.Cut(c.newest(message.SignInApproval, address).Link, "token=")
	return c.SignIns.ApproveClient(ctx, token, from)
}

// answer accepts the newest invitation or revokes all.
func (c randomCalls) answer(ctx context.Context, address string, from user.ClientInfo) error {
	if rand.IntN(2) == 0 {
		link, err := url.Parse(c.newest(message.Invitation, address).Link)
		if err != nil {
			return err
		}
		return must.Err(c.Invitations.Accept(ctx, link.Query().Get("token"), nil, from))
	}
	open, err := c.Invitations.Open(ctx, c.admin)
	for _, i := range open {
		err = errors.Join(err, c.Invitations.Revoke(ctx, c.admin, i.ID))
	}
	return err
}

func (c randomCalls) newest(kind message.Kind, to string) message.Message {
	mails := c.Mails(kind, to)
	if len(mails) == 0 {
		return message.Message{}
	}
	return mails[len(mails)-1]
}

// canStillJoin signs somebody up and in, whatever state the calls left the address in.
func (c randomCalls) canStillJoin(t *testing.T, address string) {
	t.Helper()
	ctx := t.Context()
	steps := []func() error{
		func() error {
			return c.Accounts.SignUp(ctx, account.SignUpRequest{Email: address, Password: authkit.Password, From: authkit.Firefox})
		},
		func() error { // refused if the address was taken
			if err := c.verify(ctx, address, authkit.Firefox); unexpected(err) {
				return err
			}
			return nil
		},
		func() error { return c.Passwords.RequestReset(ctx, address, user.EN, authkit.Firefox) },
		func() error {
			return c.Passwords.Reset(ctx, address, c.newest(message.PasswordReset, address).Code, authkit.Password, authkit.Firefox)
		},
		func() error {
			return must.Err(c.SignIns.SignIn(ctx, signin.Request{Email: address, Password: authkit.Password, From: authkit.Firefox}))
		},
	}
	for i, step := range steps {
		if err := step(); err != nil {
			t.Fatalf("step %d of %s: %v", i, address, err)
		}
	}
}
