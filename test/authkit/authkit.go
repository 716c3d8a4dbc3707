// Package authkit sets up the use cases of auth for tests, over the stores of an adapter.
package authkit

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/clientassertion"
	"github.com/octavo-books/octavo/adapters/passkey"
	"github.com/octavo-books/octavo/adapters/qrcode"
	"github.com/octavo-books/octavo/adapters/useragent"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/machines"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/application/eventrelay"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

// Stores are the ports that an adapter implements.
type Stores struct {
	Identity    authrooms.Storage
	Sessions    auth.SessionStore
	RateLimiter auth.RateLimiter
	Sweepers    []account.Sweep
	// Messages returns the whole outbox, oldest first.
	Messages func() []message.Message
	// Events is the outbox of events.
	Events eventrelay.Outbox
	// Jobs is the queue of background work.
	Jobs Jobs
}

// Jobs are what tests need of the queue of background work.
type Jobs interface {
	work.Leaser
	ListJobs(ctx context.Context, n int) ([]job.Job, error)
}

// Fixture holds the use cases of auth with a clock that only the test advances.
type Fixture struct {
	*authrooms.Auth
	Store    Stores
	Clock    *fake.Clock
	IDs      *fake.IDs
	Hasher   *Hasher
	Config   auth.Config
	Tokens   *Tokens
	IDTokens *IDTokens
	// ProviderClient answers for the providers of Config.
	ProviderClient *ProviderClient
	// LogoutSender has what applications were told.
	LogoutSender *LogoutSender
}

// New returns a Fixture. change may modify the ports and settings, or be nil.
func New(t testing.TB, s Stores, change func(*authrooms.Ports, *auth.Config)) *Fixture {
	t.Helper()
	k := &Fixture{Store: s, Clock: fake.NewClock(), IDs: &fake.IDs{}, Hasher: &Hasher{}, Tokens: &Tokens{}, IDTokens: &IDTokens{}, LogoutSender: &LogoutSender{}}
	k.ProviderClient = newProviderClient(k.Clock.Now)
	ports := authrooms.Ports{
		Ports: auth.Ports{
			Now: k.Clock.Now, NextID: k.IDs.Next, Random: rand.Reader, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Sessions: s.Sessions, RateLimiter: s.RateLimiter,
			Hasher: k.Hasher, Tokens: k.Tokens, Secrets: Sealer{}, ParseUserAgent: useragent.Parse,
		},
		Storage: s.Identity, IDTokens: k.IDTokens, LogoutSender: k.LogoutSender, Providers: k.ProviderClient, LogoutVerifier: k.ProviderClient, PasskeyVerifier: verifier(t), DrawQRCode: qrcode.Draw, Sweepers: s.Sweepers,
	}
	k.Config = auth.Config{
		CodeKey: [32]byte{1}, BaseURL: "https://octavo.example", InviteURL: "https://octavo.example/invitation", Issuer: "https://octavo.example",
		AccessTTL: 20 * time.Minute, MaxSessions: 10, AllowRegistration: true, PublishEvents: true, ServiceName: "Octavo", Rules: auth.DefaultLimits(),
		Providers: Providers(),
	}
	ports.MachineTokens, ports.Assertions = k.Tokens, clientassertion.New(clientassertion.Options{Agent: "test", Development: true, Now: k.Clock.Now})
	if change != nil {
		change(&ports, &k.Config)
	}
	var err error
	if k.Auth, err = authrooms.New(ports, k.Config); err != nil {
		t.Fatal(err)
	}
	return k
}

// Origin is the origin of the pages that may ask for passkeys.
const Origin = "https://octavo.example"

func verifier(t testing.TB) *passkey.Verifier {
	return must.Get(passkey.New(passkey.Config{BaseURL: Origin, Service: "Octavo"}))(t)
}

// Firefox and Chrome are two clients of the same person.
var (
	Firefox = user.ClientInfo{IP: "192.0.2.7", UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
	Chrome  = user.ClientInfo{IP: "198.51.100.9", UserAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"}
)

// Password is valid for every address.
const Password = "correct horse battery"

// LastMail returns the newest mail of a kind to an address; it fails the test if there
// is none.
func (k *Fixture) LastMail(t testing.TB, kind message.Kind, to string) message.Message {
	t.Helper()
	all := k.Mails(kind, to)
	if len(all) == 0 {
		t.Fatalf("no %s mail to %s", kind, to)
	}
	return all[len(all)-1]
}

// Mails returns all mails of a kind to an address, oldest first.
func (k *Fixture) Mails(kind message.Kind, to string) (all []message.Message) {
	for _, m := range k.Store.Messages() {
		if m.Kind == kind && string(m.To) == to {
			all = append(all, m)
		}
	}
	return all
}

// CreateUser creates an account with Password.
func (k *Fixture) CreateUser(t testing.TB, email string) user.User {
	t.Helper()
	ctx := context.Background()
	if err := k.Accounts.SignUp(ctx, account.SignUpRequest{Email: email, Password: Password, From: Firefox}); err != nil {
		t.Fatalf("sign up %s: %v", email, err)
	}
	code := k.LastMail(t, message.Verification, email).Code
	if err := k.Accounts.VerifyEmail(ctx, email, code, Firefox); err != nil {
		t.Fatalf("verify %s: %v", email, err)
	}
	return must.Get(k.Store.Identity.FindUserByEmail(ctx, user.Email(email)))(t)
}

// SignIn starts a session from Firefox.
func (k *Fixture) SignIn(t testing.TB, email string) auth.TokenPair {
	t.Helper()
	g, err := k.SignIns.SignIn(context.Background(), signin.Request{Email: email, Password: Password, From: Firefox})
	if err != nil {
		t.Fatalf("sign in %s: %v", email, err)
	}
	return g
}

// CallerOf authenticates the access token of a token pair.
func (k *Fixture) CallerOf(t testing.TB, g auth.TokenPair) user.Caller {
	t.Helper()
	c, err := k.Authenticator.Authenticate(context.Background(), g.AccessToken, Firefox)
	if err != nil {
		t.Fatalf("authenticate: %v", err)
	}
	return c
}

// SignedIDToken returns what an ID token says.
func (k *Fixture) SignedIDToken(t testing.TB, token string) provider.IDClaims {
	t.Helper()
	return must.Get(k.IDTokens.VerifyIDToken(token))(t)
}

// CreateCaller creates an account with a role and signs it in.
func (k *Fixture) CreateCaller(t testing.TB, email string, role user.Role) user.Caller {
	t.Helper()
	k.CreateUser(t, email)
	must.Get(k.Users.Promote(context.Background(), email, role))(t)
	return k.CallerOf(t, k.SignIn(t, email))
}

// Hasher stores passwords in plain text and counts its calls.
type Hasher struct {
	mu    sync.Mutex
	Calls int
	// OutdatedPrefix selects hashes that VerifyPassword reports as outdated; "" none.
	OutdatedPrefix string
	// Refusal is the error of every call; nil for none.
	Refusal error
}

const plain = "plain:"

func (h *Hasher) count() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Calls++
	return h.Refusal
}

// HashPassword adds a fresh number to a password, as a salt would.
func (h *Hasher) HashPassword(_ context.Context, p user.Password) (string, error) {
	if err := h.count(); err != nil {
		return "", err
	}
	return plain + strconv.Itoa(h.calls()) + ":" + string(p), nil
}

func (h *Hasher) calls() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.Calls
}

// VerifyPassword implements auth.PasswordHasher.
func (h *Hasher) VerifyPassword(_ context.Context, hash string, p user.Password) (right, outdated bool, err error) {
	if err := h.count(); err != nil {
		return false, false, err
	}
	_, kept, _ := strings.Cut(strings.TrimPrefix(hash, plain), ":")
	right = hash != "" && kept == string(p)
	return right, right && h.OutdatedPrefix != "" && strings.HasPrefix(hash, h.OutdatedPrefix), nil
}

// FingerprintPassword implements auth.PasswordHasher, without the work.
func (h *Hasher) FingerprintPassword(_ context.Context, p user.Password, salt []byte) ([32]byte, error) {
	return sha256.Sum256(append(salt, p...)), h.count()
}

// CheckHash accepts what HashPassword returned.
func (h *Hasher) CheckHash(hash string) error {
	if !strings.Contains(hash, ":") {
		return user.ErrPasswordInvalid
	}
	return nil
}

// Tokens stores claims under a number instead of signing them.
type Tokens struct {
	mu       sync.Mutex
	claims   []auth.Claims
	machines []machines.Claims
}

// SignToken implements auth.AccessTokens.
func (t *Tokens) SignToken(c auth.Claims) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.claims = append(t.claims, c)
	return "token-" + strconv.Itoa(len(t.claims)-1), nil
}

// VerifyToken implements auth.AccessTokens.
func (t *Tokens) VerifyToken(token string, now time.Time) (auth.Claims, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := strconv.Atoi(strings.TrimPrefix(token, "token-"))
	if err != nil || n < 0 || n >= len(t.claims) || !now.Before(t.claims[n].ExpiresAt) || t.claims[n].Target.Resource != "" {
		return auth.Claims{}, user.ErrUnauthenticated
	}
	return t.claims[n], nil
}

// VerifyTargetToken implements auth.AccessTokens.
func (t *Tokens) VerifyTargetToken(token string, now time.Time) (auth.Claims, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := strconv.Atoi(strings.TrimPrefix(token, "token-"))
	if err != nil || n < 0 || n >= len(t.claims) || !now.Before(t.claims[n].ExpiresAt) || t.claims[n].Target.Resource == "" {
		return auth.Claims{}, user.ErrUnauthenticated
	}
	return t.claims[n], nil
}

// Sealer marks what it seals instead of encrypting it.
type Sealer struct{}

const sealed = "sealed:"

// Seal implements auth.Sealer.
func (Sealer) Seal(plain []byte) ([]byte, error) { return append([]byte(sealed), plain...), nil }

// Open implements auth.Sealer.
func (Sealer) Open(b []byte) ([]byte, error) {
	plain, ok := bytes.CutPrefix(b, []byte(sealed))
	if !ok {
		return nil, errors.New("this was not sealed")
	}
	return plain, nil
}

// SignMachineToken implements machines.Tokens.
func (t *Tokens) SignMachineToken(c machines.Claims) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.machines = append(t.machines, c)
	return "machine-" + strconv.Itoa(len(t.machines)-1), nil
}

// VerifyMachineToken implements machines.Tokens.
func (t *Tokens) VerifyMachineToken(token string, now time.Time) (machines.Claims, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := strconv.Atoi(strings.TrimPrefix(token, "machine-"))
	if err != nil || n < 0 || n >= len(t.machines) || !now.Before(t.machines[n].ExpiresAt) {
		return machines.Claims{}, user.ErrUnauthenticated
	}
	return t.machines[n], nil
}

// Reserves implements machines.Tokens.
func (t *Tokens) Reserves(audience string) bool { return audience == "octavo:audience" }
