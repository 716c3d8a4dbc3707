package authcontract

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func throttleCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"guesses from many clients are throttled, with an account or without":        throttledAlike,
		"concurrent guesses from many clients do not exceed the limit":               throttledAtOnce,
		"a known client is not throttled by strangers":                               knownClientPasses,
		"the owner approves a new client of a throttled account by a link":           approveClient,
		"guesses neither send approvals nor use them up":                             approvalsAreLimited,
		"a throttled right password does the work of a wrong one":                    throttledWork,
		"after a reset of the password the owner of a throttled account may sign in": resetWhileThrottled,
		"after confirming a throttled address its owner may sign in":                 confirmedWhileThrottled,
		"guessing from many clients is mailed to the owner once a day":               attackIsMailed,
		"successful sign-ins from many clients do not count as guesses":              manyClients,
		"a day without guesses ends the throttling of an account":                    throttleEnds,
		"a suspended owner of a throttled account is sent no mail":                   throttledSuspended,
		"only the token that was mailed approves a client, and for an hour":          approvalTokens,
		"an approval is void if the account is deleted before the button is pressed": approvalOfDeleted,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

// bot returns the i-th of many clients.
func bot(i int) user.ClientInfo {
	return user.ClientInfo{IP: fmt.Sprintf("198.18.%d.%d", i>>8, i&255), UserAgent: authkit.Chrome.UserAgent}
}

// attack guesses the password of an address from n clients and returns how many guesses were
// refused as wrong. The others must be throttled.
func attack(t *testing.T, k *authkit.Fixture, email string, n int) (answered int) {
	t.Helper()
	for i := range n {
		_, err := signIn(k, email, fmt.Sprintf("wrong wrong %d", i), bot(i))
		if errors.Is(err, auth.ErrInvalidCredentials) {
			answered++
			continue
		}
		want(t, err, signin.ErrSignInsThrottled)
	}
	return answered
}

// throttledFor requires that a client is throttled even with the right password.
func throttledFor(t *testing.T, k *authkit.Fixture, email string, from user.ClientInfo) {
	t.Helper()
	_, err := signIn(k, email, authkit.Password, from)
	want(t, err, signin.ErrSignInsThrottled)
	if wait := retryAfter(err); wait != time.Minute {
		t.Fatalf("a client has to wait %s, want %s", wait, time.Minute)
	}
}

func throttledAlike(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	for _, email := range []string{"ann@example.org", "nobody@example.org"} {
		if n := attack(t, k, email, 110); n != 100 {
			t.Fatalf("%d guesses at %s were answered, want 100", n, email)
		}
		throttledFor(t, k, email, bot(1000))
	}
	for _, m := range k.Store.Messages() {
		if m.To == "nobody@example.org" {
			t.Fatalf("a %s mail to an address without an account", m.Kind)
		}
	}
	k.CreateUser(t, "bob@example.org")
	must.Get(signIn(k, "bob@example.org", authkit.Password, bot(0)))(t)
}

func throttledAtOnce(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	attack(t, k, "ann@example.org", 70)
	var answered atomic.Int64
	must.Together(60, func(i int) {
		_, err := signIn(k, "ann@example.org", "wrong wrong wrong", bot(200+i))
		if errors.Is(err, auth.ErrInvalidCredentials) {
			answered.Add(1)
		} else if !errors.Is(err, signin.ErrSignInsThrottled) {
			t.Error(err)
		}
	})
	if answered.Load() != 30 {
		t.Fatalf("%d guesses were answered after 70 of 100, want 30", answered.Load())
	}
}

func knownClientPasses(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	k.SignIn(t, "ann@example.org")
	attack(t, k, "ann@example.org", 105)
	for range 3 {
		k.SignIn(t, "ann@example.org")
		// The response to a wrong password must not reveal that this client is known.
		want(t, must.Err(signIn(k, "ann@example.org", "wrong wrong wrong", authkit.Firefox)), signin.ErrSignInsThrottled)
	}
	if n := len(k.Mails(message.SignInApproval, "ann@example.org")); n != 0 {
		t.Fatalf("%d links to approve a known client, want 0", n)
	}
}

// approvalToken returns the token of the newest link that approves a client of ann.
func approvalToken(t *testing.T, k *authkit.Fixture) string {
	t.Helper()
	link := must.Get(url.Parse(k.LastMail(t, message.SignInApproval, "ann@example.org").Link))(t)
	if link.Scheme+"://"+link.Host+link.Path != "https://octavo.example/approve" {
		t.Fatalf("the link is %s", link)
	}
	return link.Query().Get("token")
}

func approveClient(t *testing.T, k *authkit.Fixture) {
	ann := k.CreateUser(t, "ann@example.org")
	attack(t, k, "ann@example.org", 105)
	throttledFor(t, k, "ann@example.org", authkit.Chrome)
	m := k.LastMail(t, message.SignInApproval, "ann@example.org")
	if p := m.Params; p[message.ParamIP] != authkit.Chrome.IP || p[message.ParamBrowser] != "Chrome" || m.ExpiresAt.Sub(m.CreatedAt) != time.Hour {
		t.Fatalf("the mail says %v until %s", p, m.ExpiresAt)
	}
	token := approvalToken(t, k)
	client, err := k.SignIns.PendingApproval(ctx, token)
	if must.Do(t, err); client != authkit.Chrome.IP {
		t.Fatalf("the link is for %s, want %s", client, authkit.Chrome.IP)
	}
	throttledFor(t, k, "ann@example.org", authkit.Chrome)
	for range 2 { // pressed twice
		must.Do(t, k.SignIns.ApproveClient(ctx, token, authkit.Firefox))
	}
	must.Get(signIn(k, "ann@example.org", authkit.Password, authkit.Chrome))(t)
	throttledFor(t, k, "ann@example.org", bot(1000))
	log := must.Get(k.Store.Identity.ListAuditEntries(ctx, account.AuditFilter{User: ann.ID}, 0, 100))(t)
	approved := 0
	for _, e := range log {
		if e.Action == "sign_in.approved" && e.Actor == ann.ID && e.Detail == "from "+authkit.Chrome.IP {
			approved++
		}
	}
	if approved != 1 {
		t.Fatalf("%d approvals are audited, want 1", approved)
	}
}

func approvalsAreLimited(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	attack(t, k, "ann@example.org", 125)
	if n := len(k.Mails(message.SignInApproval, "ann@example.org")); n != 0 {
		t.Fatalf("%d approvals for wrong passwords, want 0", n)
	}
	for i := range 7 {
		throttledFor(t, k, "ann@example.org", bot(1000+i))
		throttledFor(t, k, "ann@example.org", bot(2000+i))
		k.Clock.Advance(time.Minute)
	}
	if n := len(k.Mails(message.SignInApproval, "ann@example.org")); n != 5 {
		t.Fatalf("%d approvals for right passwords within minutes, want 5", n)
	}
}

func throttledWork(t *testing.T, k *authkit.Fixture) {
	ann := k.CreateUser(t, "ann@example.org")
	attack(t, k, "ann@example.org", 105)
	k.Hasher.OutdatedPrefix = ann.PasswordHash // a right password would be hashed again
	work := map[int]bool{}
	for i, typed := range []string{authkit.Password, "wrong wrong wrong", "cafe\u0301 du jour"} {
		before := k.Hasher.Calls
		want(t, must.Err(signIn(k, "ann@example.org", typed, bot(1000+i))), signin.ErrSignInsThrottled)
		if typed != "cafe\u0301 du jour" {
			work[k.Hasher.Calls-before] = true
		}
	}
	if len(work) != 1 || !work[1] {
		t.Fatalf("the amount of work differs: %v", work)
	}
	k.Hasher.OutdatedPrefix = ""
	must.Get(k.Users.Import(ctx, strings.NewReader("bob@example.org,x:caf\u00e9 du jour\n"), account.ImportOptions{}))(t)
	for _, typed := range []string{"cafe\u0301 du jour", "cafe\u0301 du soir"} { // both have two forms, the first of which matches
		before := k.Hasher.Calls
		_, _ = signIn(k, "bob@example.org", typed, bot(0))
		if n := k.Hasher.Calls - before; n < 2 {
			t.Fatalf("%d comparisons: the duration reveals which form matches", n)
		}
	}
}

func resetWhileThrottled(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	attack(t, k, "ann@example.org", 105)
	askReset(t, k, bot(1000))
	must.Do(t, reset(k, k.LastMail(t, message.PasswordReset, "ann@example.org").Code, bot(1000)))
	must.Get(signIn(k, "ann@example.org", otherPassword, bot(1000)))(t)
	want(t, must.Err(signIn(k, "ann@example.org", otherPassword, bot(1001))), signin.ErrSignInsThrottled)
}

func confirmedWhileThrottled(t *testing.T, k *authkit.Fixture) {
	attack(t, k, "ann@example.org", 105)
	k.CreateUser(t, "ann@example.org")
	k.SignIn(t, "ann@example.org")
	throttledFor(t, k, "ann@example.org", authkit.Chrome)
}

func attackIsMailed(t *testing.T, k *authkit.Fixture) {
	ann := k.CreateUser(t, "ann@example.org")
	for day := range 3 {
		attack(t, k, "ann@example.org", 105)
		k.Clock.Advance(time.Hour)
		attack(t, k, "ann@example.org", 10)
		if n := len(k.Mails(message.SignInAttack, "ann@example.org")); n != day+1 {
			t.Fatalf("%d mails after %d days", n, day+1)
		}
		k.Clock.Advance(24 * time.Hour)
	}
	log := must.Get(k.Store.Identity.ListAuditEntries(ctx, account.AuditFilter{User: ann.ID}, 0, 100))(t)
	attacked := 0
	for _, e := range log {
		if e.Action == "sign_in.attacked" && e.Actor == 0 && e.Target == ann.ID.String() {
			attacked++
		}
	}
	if attacked != 3 {
		t.Fatalf("%d attacks are audited, want 3", attacked)
	}
}

func manyClients(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	for i := range 130 {
		must.Get(signIn(k, "ann@example.org", authkit.Password, bot(i)))(t)
	}
	if n := attack(t, k, "ann@example.org", 100); n != 100 {
		t.Fatalf("%d guesses were answered, want 100", n)
	}
}

func throttleEnds(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	attack(t, k, "ann@example.org", 105)
	throttledFor(t, k, "ann@example.org", bot(1000))
	k.Clock.Advance(24 * time.Hour)
	must.Get(signIn(k, "ann@example.org", authkit.Password, bot(1000)))(t)
	if n := attack(t, k, "ann@example.org", 105); n != 100 {
		t.Fatalf("%d guesses were answered after a day, want 100", n)
	}
}

func throttledSuspended(t *testing.T, k *authkit.Fixture) {
	u := k.CreateUser(t, "ann@example.org")
	u.SuspendedAt = monday
	must.Do(t, k.Store.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error { return st.SaveUser(ctx, u) }))
	attack(t, k, "ann@example.org", 105)
	throttledFor(t, k, "ann@example.org", authkit.Chrome)
	if n := len(k.Mails(message.SignInApproval, "ann@example.org")) + len(k.Mails(message.SignInAttack, "ann@example.org")); n != 0 {
		t.Fatalf("%d mails, want 0", n)
	}
}

func approvalTokens(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	attack(t, k, "ann@example.org", 105)
	throttledFor(t, k, "ann@example.org", authkit.Chrome)
	token := approvalToken(t, k)
	random, client, _ := strings.Cut(token, ".")
	_, invitation := invite(t, k, k.CreateCaller(t, "root@example.org", user.Admin), "guest@example.org")
	for _, bad := range []string{
		"", ".", "x." + client, random, random + ".", random + ".!", random + "." + client + "A", random + ".MTk4LjUxLjEwMC44", random + "." + strings.Repeat("A", 400),
		invitation, invitation + "." + client, token + "\n",
	} {
		want(t, must.Err(k.SignIns.PendingApproval(ctx, bad)), challenge.ErrLinkInvalid)
		want(t, k.SignIns.ApproveClient(ctx, bad, authkit.Firefox), challenge.ErrLinkInvalid)
	}
	k.Clock.Advance(time.Minute)
	throttledFor(t, k, "ann@example.org", bot(1000)) // its link replaces the other
	want(t, k.SignIns.ApproveClient(ctx, token, authkit.Firefox), challenge.ErrLinkInvalid)
	token = approvalToken(t, k)
	k.Clock.Advance(time.Hour)
	want(t, k.SignIns.ApproveClient(ctx, token, authkit.Firefox), challenge.ErrLinkInvalid)
}

func approvalOfDeleted(t *testing.T, k *authkit.Fixture) {
	ann := k.CreateUser(t, "ann@example.org")
	attack(t, k, "ann@example.org", 105)
	throttledFor(t, k, "ann@example.org", authkit.Chrome)
	token := approvalToken(t, k)
	must.Get(k.Users.Delete(ctx, k.CreateCaller(t, "root@example.org", user.Owner), []user.ID{ann.ID}))(t)
	want(t, k.SignIns.ApproveClient(ctx, token, authkit.Firefox), challenge.ErrLinkInvalid)
}
