//go:build !windows

// Package auth measures auth's use cases on SQLite with real hashing, signing and sealing,
// without HTTP. Each benchmark reports the processor time of the whole process for each
// operation. The Floor benchmarks measure the cryptography that an operation needs.
package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/token"
	"github.com/octavo-books/octavo/adapters/useragent"
	core "github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/database"
	"golang.org/x/crypto/bcrypt"
)

const (
	cost     = 10
	password = "correct horse battery"
)

var (
	ctx  = context.Background()
	from = user.ClientInfo{IP: "192.0.2.7", UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
)

// fixture holds the use cases with the adapters of the program.
type fixture struct {
	*core.Services
	ports  core.Ports
	key    *ecdsa.PrivateKey
	tokens *token.Tokens
}

func open(b testing.TB) *fixture {
	b.Helper()
	db := database.SQLite(b, authstore.Migrations, outboxstore.Migrations)
	public, private, err := token.Generate()
	must(b, err)
	key, err := token.ParsePair(public, private)
	must(b, err)
	box, err := seal.New(key, "outbox")
	must(b, err)
	identity, sessions, limits := authstore.New(db, box, nil), authstore.NewSessions(db, box), authstore.NewRateLimiter(db)
	hasher, err := hashing.New(hashing.Config{Cost: cost, Queue: 1000})
	must(b, err)
	tokens, err := token.New(token.Config{Key: key, Issuer: "https://octavo.example", Audience: "octavo"})
	must(b, err)
	w := &fixture{key: key, tokens: tokens, ports: core.Ports{
		Clock: system.Clock{}, IDs: system.NewIDs(system.Clock{}, rand.Reader), Random: rand.Reader,
		Log:   slog.New(slog.NewTextHandler(io.Discard, nil)),
		Users: identity, Admin: identity, Links: identity, Database: identity,
		Sessions: sessions, Rotator: sessions, Revoker: sessions, SessionStates: sessions, RateLimiter: limits,
		SecondFactors: identity, Passkeys: identity, Identities: identity,
		Hasher: hasher, Tokens: tokens, UserAgents: useragent.Parser{},
	}}
	many := limit.Rule{Burst: 1 << 30, Period: time.Hour}
	rules := core.DefaultLimits()
	rules.SignIns, rules.SignInFailures, rules.SignUps, rules.MailRequests = many, many, many, many
	rules.Mails, rules.SignUpMails = []limit.Rule{many}, []limit.Rule{many}
	w.Services, err = core.New(w.ports, core.Config{
		CodeKey: [32]byte{1}, BaseURL: "https://octavo.example", InviteURL: "https://octavo.example/invitation",
		AccessTTL: 20 * time.Minute, MaxSessions: 10, AllowRegistration: true, Rules: rules,
	})
	must(b, err)
	return w
}

func must(b testing.TB, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// addUser saves an account, as an import would.
func (w *fixture) addUser(b testing.TB, email string, verified bool, hash string) user.User {
	b.Helper()
	u := user.User{
		ID: user.ID(w.ports.IDs.Next()), Email: user.Email(email), PasswordHash: hash, Lang: user.EN, Verified: verified, CreatedAt: w.ports.Clock.Now(),
	}
	must(b, w.ports.Database.Atomically(ctx, func(ctx context.Context, st core.Stores) error { return st.Users.SaveUser(ctx, u) }))
	return u
}

func hash(b testing.TB) string {
	b.Helper()
	h, err := bcrypt.GenerateFromPassword([]byte(password), cost)
	must(b, err)
	return string(h)
}

// signIn starts a session of ann@example.org.
func (w *fixture) signIn(b testing.TB) core.TokenPair {
	b.Helper()
	g, err := w.Sessions.SignIn(ctx, core.SignInRequest{Email: "ann@example.org", Password: password, From: from})
	must(b, err)
	return g
}

// cpu returns the processor time that the process has used.
func cpu(b testing.TB) time.Duration {
	b.Helper()
	var r syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// measure reports the processor time of fn for each operation.
func measure(b *testing.B, fn func()) {
	b.Helper()
	b.ReportAllocs()
	before, n := cpu(b), 0
	for b.Loop() {
		fn()
		n++
	}
	b.ReportMetric(float64(cpu(b)-before)/float64(n)/1e6, "cpu-ms/op")
}

func BenchmarkFloorBcrypt(b *testing.B) {
	h := []byte(hash(b))
	measure(b, func() { _ = bcrypt.CompareHashAndPassword(h, []byte(password)) })
}

func BenchmarkFloorSignature(b *testing.B) {
	w := open(b)
	now := time.Now()
	c := core.Claims{User: 1, Session: 2, IssuedAt: now, ExpiresAt: now.Add(time.Minute)}
	measure(b, func() {
		_, err := w.tokens.SignToken(c)
		must(b, err)
	})
}

func BenchmarkSignIn(b *testing.B) {
	w := open(b)
	w.addUser(b, "ann@example.org", true, hash(b))
	measure(b, func() { w.signIn(b) })
}

func BenchmarkRefresh(b *testing.B) {
	w := open(b)
	w.addUser(b, "ann@example.org", true, hash(b))
	g := w.signIn(b)
	measure(b, func() {
		var err error
		g, err = w.Sessions.Refresh(ctx, g.RefreshToken, from)
		must(b, err)
	})
}

func BenchmarkMeWarm(b *testing.B) {
	w := open(b)
	w.addUser(b, "ann@example.org", true, hash(b))
	g := w.signIn(b)
	measure(b, func() { w.me(b, g.AccessToken) })
}

func (w *fixture) me(b testing.TB, token string) {
	b.Helper()
	by, err := w.Authenticator.Authenticate(ctx, token, from)
	must(b, err)
	_, err = w.Users.Me(ctx, by)
	must(b, err)
}

func BenchmarkMeCold(b *testing.B) {
	w := open(b)
	w.addUser(b, "ann@example.org", true, hash(b))
	g := w.signIn(b)
	now := time.Now()
	fresh := make([]string, 3000)
	for i := range fresh {
		var err error
		fresh[i], err = w.tokens.SignToken(core.Claims{User: g.User.ID, Session: g.Session.ID, IssuedAt: now, ExpiresAt: now.Add(time.Hour)})
		must(b, err)
	}
	var next atomic.Int64
	b.ResetTimer()
	measure(b, func() { w.me(b, fresh[int(next.Add(1))%len(fresh)]) })
}

func BenchmarkRevoke(b *testing.B) {
	w := open(b)
	u := w.addUser(b, "ann@example.org", true, hash(b))
	by := user.Caller{ID: u.ID, From: from}
	begin := func() user.SessionID {
		s := session.Session{
			ID: user.SessionID(w.ports.IDs.Next()), User: u.ID, CreatedAt: w.ports.Clock.Now(),
			Lifetime: session.Lifetime{LastUsedAt: w.ports.Clock.Now(), IdleTimeout: session.IdleTimeout, AbsoluteExpiry: w.ports.Clock.Now().Add(session.AbsoluteTimeout)},
		}
		must(b, w.ports.Sessions.AddSession(ctx, s, 10, core.SessionEffects{Added: func(core.KnownDevices) core.SideEffects { return core.SideEffects{} }}))
		return s.ID
	}
	b.ReportAllocs()
	var spent time.Duration
	n := 0
	for b.Loop() {
		b.StopTimer()
		id := begin()
		before := cpu(b)
		b.StartTimer()
		must(b, w.Sessions.Revoke(ctx, by, id))
		spent += cpu(b) - before
		n++
	}
	b.ReportMetric(float64(spent)/float64(n)/1e6, "cpu-ms/op")
}

// The Enumeration benchmarks measure whether the duration of a request tells which addresses
// have an account. BenchmarkEnumerationBySignIn reports the median times of the four ways in
// which a sign-in fails.
func BenchmarkEnumerationBySignIn(b *testing.B) {
	w := open(b)
	w.addUser(b, "member@example.org", true, hash(b))
	w.addUser(b, "unverified@example.org", false, hash(b))
	w.addUser(b, "passwordless@example.org", true, "")
	spread(b, []string{"member", "stranger", "unverified", "passwordless"}, func(kind string) {
		_, err := w.Sessions.SignIn(ctx, core.SignInRequest{Email: kind + "@example.org", Password: "wrong wrong wrong", From: from})
		if !errors.Is(err, core.ErrInvalidCredentials) {
			b.Fatal(err)
		}
	})
}

// BenchmarkEnumerationByReset requests resets for which a mail is sent and for which none
// is.
func BenchmarkEnumerationByReset(b *testing.B) {
	w := open(b)
	w.addUser(b, "member@example.org", true, hash(b))
	w.addUser(b, "unverified@example.org", false, "")
	spread(b, []string{"member", "stranger", "unverified"}, func(kind string) {
		must(b, w.Passwords.RequestReset(ctx, kind+"@example.org", user.EN, from))
	})
}

// BenchmarkEnumerationBySignUp signs up with free and with taken addresses.
func BenchmarkEnumerationBySignUp(b *testing.B) {
	w := open(b)
	w.addUser(b, "member@example.org", true, hash(b))
	spread(b, []string{"member", "stranger"}, func(kind string) {
		must(b, w.Accounts.SignUp(ctx, core.SignUpRequest{Email: kind + "@example.org", Password: "wrong wrong wrong", From: from}))
	})
}

// spread reports the median time of each kind, and the difference between the greatest
// and the smallest. It alternates the kinds, so that all run under the same load.
func spread(b *testing.B, kinds []string, act func(kind string)) {
	b.Helper()
	times := map[string][]time.Duration{}
	for round := 0; b.Loop(); round++ {
		for i := range kinds {
			kind := kinds[(i+round)%len(kinds)]
			start := time.Now()
			act(kind)
			times[kind] = append(times[kind], time.Since(start))
		}
	}
	report(b, kinds, times)
}

func report(b *testing.B, kinds []string, times map[string][]time.Duration) {
	b.Helper()
	var medians []float64
	for _, kind := range kinds {
		slices.Sort(times[kind])
		m := float64(times[kind][len(times[kind])/2]) / 1e6
		medians = append(medians, m)
		b.ReportMetric(m, kind+"-ms")
	}
	b.ReportMetric(100*(slices.Max(medians)/slices.Min(medians)-1), "spread-%")
}
