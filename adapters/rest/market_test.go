package rest_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
)

// world is a complete marketplace with its JSON API.
type world struct {
	*site
	*authkit.Fixture
	tokens map[string]string // access tokens by the name before the @
}

func newWorld(t testing.TB) *world { return newWorldWith(t, rest.Default()) }

func newWorldWith(t testing.TB, cfg rest.Config) *world {
	t.Helper()
	store := openStores(t)
	k := authkit.New(t, store.auth, nil)
	m := store.market
	deps := market.Deps{Store: m, Clock: k.Clock, IDs: k.IDs, Notifier: market.NewNotifier()}
	services := rest.Services{
		Accounts: k.Accounts, Sessions: k.Sessions, Passwords: k.Passwords, People: k.Users,
		Listings: market.NewListings(deps, m), Catalogue: market.NewCatalogue(m, m, m), Requests: market.NewRequests(deps, m, m),
		Carts: market.NewCarts(deps, m), Checkout: market.NewCheckout(deps, 500), Orders: market.NewOrders(deps, m),
		Notifications: market.NewNotifications(deps, m, m), Statistics: market.NewStatistics(m, k.Clock), ExpireListings: market.NewExpireListings(deps),
	}
	return &world{site: open(t, services, cfg, k.Clock, k.Authenticator), Fixture: k, tokens: map[string]string{}}
}

type object = map[string]any

const password = "a fine long password"

// signup returns the body of a sign-up.
func signup(name string) object {
	return object{
		"email": name + "@rochester.edu", "password": password, "firstName": strings.ToUpper(name[:1]) + name[1:], "lastName": "Doe",
		"university": "Rochester", "campusMailbox": "box-" + name, "paymentUsername": "pay-" + name,
	}
}

// link returns the token in the newest confirmation mail.
func (w *world) link(to string) string {
	w.t.Helper()
	token, ok := strings.CutPrefix(w.LastMail(w.t, message.Verification, to).Link, "https://octavo.example/api/auth/confirm/")
	if !ok {
		w.t.Fatalf("the link to %s is no confirmation", to)
	}
	return token
}

// as returns an access token of a student and signs the student up if necessary.
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

// promoted is as with a role.
func (w *world) promoted(name string, role user.Role) string {
	w.t.Helper()
	token := w.as(name)
	if _, err := w.Users.Promote(w.t.Context(), name+"@rochester.edu", role); err != nil {
		w.t.Fatal(err)
	}
	return token
}

func (w *world) id(name string) string {
	w.t.Helper()
	return w.get("/api/getUserData", w.as(name)).is(200, "").text("id")
}

// calculus returns the body of a valid book.
func calculus() object {
	return object{"name": "Calculus: Early Transcendentals", "edition": 8, "course": "MATH 161", "price": 40, "condition": "good", "date": "2026-09-01"}
}

// with returns a copy with changed fields, given as pairs.
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

// posted posts a book and returns its id.
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

func signUpByCode(email string) auth.SignUpRequest {
	return auth.SignUpRequest{Email: email, Password: password}
}

// under returns the same world for another test.
func (w *world) under(t testing.TB) *world {
	s, other := *w.site, *w
	s.t, other.site = t, &s
	return &other
}
