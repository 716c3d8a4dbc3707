package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/memstore"
	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
)

// world is the whole marketplace in memory behind its edge.
type world struct {
	*site
	store    *memstore.Store
	clock    *fake.Clock
	services *auth.Services
	tokens   map[string]string // access tokens by the name before the @
}

func newWorld(t testing.TB) *world { return newWorldWith(t, rest.Default()) }

func newWorldWith(t testing.TB, cfg rest.Config) *world {
	t.Helper()
	store, clock, ids := memstore.New(), fake.NewClock(), &fake.IDs{}
	log := slog.New(slog.DiscardHandler)
	identity, sessions := store.Identity(), store.Sessions()
	services, err := auth.New(auth.Ports{
		Clock: clock, IDs: ids, Random: fake.NewRandom(1), Log: log,
		Directory: identity, Listings: identity, Links: identity, Database: identity,
		Sessions: sessions, Lineage: sessions, Ends: sessions, Limits: store.Limits(),
		Hasher: plainHasher{}, Tokens: &plainTokens{}, Devices: noDevices{},
	}, auth.Config{
		CodeKey: challenge.Key{1}, BaseURL: "http://octavo.test", InviteURL: "http://octavo.test/invitation",
		AccessTTL: 20 * time.Minute, MaxSessions: 10, AllowRegistration: true, Rules: auth.DefaultLimits(),
	})
	if err != nil {
		t.Fatal(err)
	}
	m := store.Market()
	kit := market.Kit{Store: m, Clock: clock, IDs: ids, Bell: market.NewBell()}
	edge := rest.Services{
		Accounts: services.Accounts, Sessions: services.Sessions, Passwords: services.Passwords, People: services.People,
		Shelf: market.NewShelf(kit, m), Catalogue: market.NewCatalogue(m, m, m), Wanted: market.NewWanted(kit, m, m),
		Carts: market.NewCarts(kit, m), Checkout: market.NewCheckout(kit, 500), Orders: market.NewOrders(kit, m),
		Notices: market.NewNotices(kit, m, m), Statistics: market.NewStatistics(m, clock), Tidying: market.NewTidying(kit, m),
	}
	return &world{
		site: open(t, edge, cfg, clock, services.Gate), store: store, clock: clock,
		services: services, tokens: map[string]string{},
	}
}

type object = map[string]any

const password = "a fine long password"

// signup is the body of a sign-up.
func signup(name string) object {
	return object{
		"email": name + "@rochester.edu", "password": password, "firstName": strings.ToUpper(name[:1]) + name[1:], "lastName": "Doe",
		"university": "Rochester", "campusMailbox": "box-" + name, "paymentUsername": "pay-" + name,
	}
}

// link is the token of the newest confirmation link that was mailed.
func (w *world) link(to string) string {
	w.t.Helper()
	token := ""
	for _, m := range w.store.Messages() {
		if string(m.To) == to && m.Kind == message.Verification {
			token = strings.TrimPrefix(m.Link, "http://octavo.test/api/auth/confirm/")
		}
	}
	if token == "" {
		w.t.Fatalf("no link was mailed to %s", to)
	}
	return token
}

// as is the token of a student who is signed in, signed up first if need be.
func (w *world) as(name string) string {
	w.t.Helper()
	if w.tokens[name] == "" {
		w.post("/api/auth/signup", "", signup(name)).is(201, "")
		w.get("/api/auth/confirm/"+w.link(name+"@rochester.edu"), "", header("Accept", "application/json")).is(200, "")
		w.tokens[name] = w.login(name)
	}
	return w.tokens[name]
}

func (w *world) login(name string) string {
	w.t.Helper()
	return w.post("/api/auth/login", "", object{"email": name + "@rochester.edu", "password": password}).is(200, "").text("token")
}

// promoted is as for somebody with a role.
func (w *world) promoted(name string, role user.Role) string {
	w.t.Helper()
	token := w.as(name)
	if _, err := w.services.People.Promote(w.t.Context(), name+"@rochester.edu", role); err != nil {
		w.t.Fatal(err)
	}
	return token
}

func (w *world) id(name string) string {
	w.t.Helper()
	return w.get("/api/getUserData", w.as(name)).is(200, "").text("id")
}

// calculus is a book as somebody would post it.
func calculus() object {
	return object{"name": "Calculus: Early Transcendentals", "edition": 8, "course": "MATH 161", "price": 40, "condition": "good", "date": "2026-09-01"}
}

// with changes some fields, given as pairs, of a copy.
func with(o object, pairs ...any) object {
	out := object{}
	for k, v := range o {
		out[k] = v
	}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}

// posted is the id of a new book.
func (w *world) posted(seller string, pairs ...any) string {
	w.t.Helper()
	return w.post("/api/books/postBook", w.as(seller), with(calculus(), pairs...)).is(201, "").text("id")
}

// bought sells a book and returns its id.
func (w *world) bought(seller, buyer string, pairs ...any) string {
	w.t.Helper()
	id := w.posted(seller, pairs...)
	w.post("/api/books/checkoutCart", w.as(buyer), object{"bookIds": []string{id}}).is(201, "")
	return id
}

// plainHasher keeps passwords as they are.
type plainHasher struct{}

func (plainHasher) Hash(_ context.Context, p user.Password) (string, error) {
	return fmt.Sprint("plain:", p), nil
}

func (plainHasher) Verify(_ context.Context, hash string, p user.Password) (right, outdated bool, err error) {
	return hash == fmt.Sprint("plain:", p), false, nil
}
func (plainHasher) Check(string) error { return nil }

// plainTokens remembers what it signed.
type plainTokens struct {
	mu     sync.Mutex
	signed map[string]bool
}

func (p *plainTokens) Sign(c auth.Claims) (string, error) {
	b, err := json.Marshal(c)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.signed == nil {
		p.signed = map[string]bool{}
	}
	p.signed[string(b)] = true
	return fmt.Sprintf("%x", b), err
}

func (p *plainTokens) Verify(token string, now time.Time) (c auth.Claims, err error) {
	var b []byte
	if _, err := fmt.Sscanf(token, "%x", &b); err != nil {
		return c, user.ErrUnauthenticated
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.signed[string(b)] || json.Unmarshal(b, &c) != nil || !now.Before(c.ExpiresAt) {
		return auth.Claims{}, user.ErrUnauthenticated
	}
	return c, nil
}

type noDevices struct{}

func (noDevices) Parse(string) session.Device { return session.Device{} }

func signUpByCode(email string) auth.SignUp { return auth.SignUp{Email: email, Password: password} }

// under is the same world, failing another test.
func (w *world) under(t testing.TB) *world {
	s, other := *w.site, *w
	s.t, other.site = t, &s
	return &other
}
