package rest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/stores"
)

// marketFixture is a complete marketplace with its JSON API.
type marketFixture struct {
	*site
	*authkit.Fixture
	tokens map[string]string // access tokens by the name before the @
}

func newMarketFixture(t testing.TB) *marketFixture { return newMarketFixtureWith(t, rest.Default()) }

func newMarketFixtureWith(t testing.TB, cfg rest.Config) *marketFixture {
	t.Helper()
	return newMarketFixtureIn(t, cfg, meeting.Desk)
}

func newMarketFixtureIn(t testing.TB, cfg rest.Config, handover meeting.Mode) *marketFixture {
	t.Helper()
	return newMarketFixtureBehind(t, cfg, handover, nil)
}

// newMarketFixtureBehind also lets change configure the accounts.
func newMarketFixtureBehind(t testing.TB, cfg rest.Config, handover meeting.Mode, change func(*authrooms.Ports, *auth.Config)) *marketFixture {
	t.Helper()
	store := openStores(t)
	k := authkit.New(t, store.AuthWithMarket(t), change)
	m := store.Market
	deps := market.Deps{Store: m, Clock: k.Clock.Now, IDs: k.IDs.Next, Notifier: market.NewNotifier(), Guard: new(market.CurrencyGuard), Handover: handover, Limits: market.Limits{Posts: 60, ImportLines: 500}}
	services := rest.Services{
		Ended: k.Authenticator.EndedSessions, Auth: k.Auth, Uploads: httpx.NewUploads(),
		Market: rooms.New(deps, m, rooms.Config{
			Fee: 500, Threshold: report.Threshold{Reports: 3}, Handovers: meeting.Secret("a secret of the tests"), Zone: time.UTC,
			Blobs: fake.NewBlobs(), Pictures: &fake.Pictures{}, Suspend: stores.Suspender{Stores: store, Deps: deps, People: k.Users}.SuspendAccount, Push: new(fake.Push).Config(k.Authenticator.EndedSessions),
		}),
	}
	return &marketFixture{site: open(t, services, cfg, k.Clock.Now, k.Authenticator), Fixture: k, tokens: map[string]string{}}
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
func (w *marketFixture) link(to string) string {
	w.t.Helper()
	token, ok := strings.CutPrefix(w.LastMail(w.t, message.Verification, to).Link, "https://octavo.example/api/auth/confirm/")
	if !ok {
		w.t.Fatalf("the link to %s is no confirmation", to)
	}
	return token
}

// as returns an access token of a student and signs the student up if necessary.
func (w *marketFixture) as(name string) string {
	w.t.Helper()
	if w.tokens[name] == "" {
		w.post("/api/auth/signup", "", signup(name)).wantStatus(201, "")
		w.get("/api/auth/confirm/"+w.link(name+"@rochester.edu"), "", header("Accept", "application/json")).wantStatus(200, "")
		w.tokens[name] = w.login(name)
	}
	return w.tokens[name]
}

func (w *marketFixture) login(name string) string {
	w.t.Helper()
	return w.post("/api/auth/login", "", object{"email": name + "@rochester.edu", "password": password}).wantStatus(200, "").text("token")
}

// promoted is as with a role.
func (w *marketFixture) promoted(name string, role user.Role) string {
	w.t.Helper()
	token := w.as(name)
	if _, err := w.Users.Promote(w.t.Context(), name+"@rochester.edu", role); err != nil {
		w.t.Fatal(err)
	}
	return token
}

func (w *marketFixture) id(name string) string {
	w.t.Helper()
	return w.get("/api/getUserData", w.as(name)).wantStatus(200, "").text("id")
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
func (w *marketFixture) posted(seller string, pairs ...any) string {
	w.t.Helper()
	return w.post("/api/books/postBook", w.as(seller), with(calculus(), pairs...)).wantStatus(201, "").text("id")
}

// bought sells a book and returns its id.
func (w *marketFixture) bought(seller, buyer string, pairs ...any) string {
	w.t.Helper()
	id := w.posted(seller, pairs...)
	w.post("/api/books/checkoutCart", w.as(buyer), object{"bookIds": []string{id}}).wantStatus(201, "")
	return id
}

func signUpByCode(email string) account.SignUpRequest {
	return account.SignUpRequest{Email: email, Password: password}
}

// forTest returns the same fixture for another test.
func (w *marketFixture) forTest(t testing.TB) *marketFixture {
	s, other := *w.site, *w
	s.t, other.site = t, &s
	return &other
}

// refusal is a request with the status and code of its response, and a field that the response names.
type refusal struct {
	who, path   string
	body        object // nil: the request is a GET
	status      int
	code, field string
}

// refuses sends each request as the person it names.
func (w *marketFixture) refuses(cases ...refusal) {
	w.t.Helper()
	for _, c := range cases {
		method, body := "POST", any(c.body)
		if c.body == nil {
			method, body = "GET", nil
		}
		r := w.call(method, c.path, w.as(c.who), body).wantStatus(c.status, c.code)
		if c.field != "" && r.fields()[c.field] == nil {
			w.t.Errorf("%s is not among the fields of %s", c.field, r)
		}
	}
}

// noIDs are ids that nothing has.
var noIDs = []string{"4242", "x", "0", "-1", "01", "99999999999999999999999"}
