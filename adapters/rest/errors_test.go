package rest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/fake"
)

// failing is a store whose reads all fail.
type failing struct {
	finding.Reader
	err error
}

func (f failing) FindBookViews(context.Context, ...book.ID) ([]market.BookView, error) {
	return nil, f.err
}

func (f failing) ListBooksForSale(context.Context, finding.Criteria, finding.Sort, market.Position, int) ([]market.BookView, error) {
	return nil, f.err
}

func siteFailingWith(t *testing.T, err error) *site {
	t.Helper()
	f := failing{err: err}
	return open(t, rest.Services{Market: &rooms.Market{Finding: &rooms.Finding{Catalogue: finding.NewCatalogue(f)}}}, rest.Default(), fake.NewClock().Now, unavailableAuth{})
}

// unavailableAuth is an Authenticator whose store is down.
type unavailableAuth struct{}

func (unavailableAuth) Authenticate(context.Context, string, user.ClientInfo) (user.Caller, error) {
	return user.Caller{}, fault.New(fault.Unavailable, "unavailable", "Please try again.").After(7 * time.Second)
}

func TestAStoreThatIsDownIsA503WithRetryAfter(t *testing.T) {
	s := siteFailingWith(t, fault.New(fault.Unavailable, "unavailable", "Please try again."))
	if r := s.get("/api/books/getAllBooks", "").wantStatus(503, "unavailable"); r.header.Get("Retry-After") != "5" {
		t.Errorf("Retry-After %q", r.header.Get("Retry-After"))
	}
	if r := s.get("/api/user/getUserData", "any").wantStatus(503, "unavailable"); r.header.Get("Retry-After") != "7" || r.header.Get("WWW-Authenticate") != "" {
		t.Errorf("%v", r.header)
	}
	s = siteFailingWith(t, context.DeadlineExceeded)
	if r := s.get("/api/books/getBook/1", "").wantStatus(503, "unavailable"); r.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

func TestCausesAreNeverSent(t *testing.T) {
	s := siteFailingWith(t, errors.New("dial tcp 10.0.0.7: connection refused"))
	for _, path := range []string{"/api/books/getAllBooks", "/api/books/getBook/1"} {
		if r := s.get(path, "").wantStatus(500, "internal"); strings.Contains(r.raw, "10.0.0.7") || r.header.Get("ETag") != "" {
			t.Errorf("the response reveals the cause: %s", r)
		}
	}
}

func TestADisconnectedClientCausesNoErrorLog(t *testing.T) {
	s := siteFailingWith(t, errors.New("interrupted (9)"))
	ended := func(cause error) func(*http.Request) {
		return func(r *http.Request) {
			ctx, cancel := context.WithDeadline(r.Context(), time.Now().Add(-time.Second))
			if errors.Is(cause, context.Canceled) {
				ctx, cancel = context.WithCancel(r.Context())
				cancel()
			}
			t.Cleanup(cancel)
			*r = *r.WithContext(ctx)
		}
	}
	s.get("/api/books/getAllBooks", "", ended(context.DeadlineExceeded)).wantStatus(503, "unavailable")
	if r := s.get("/api/books/getAllBooks", "", ended(context.Canceled)).wantStatus(499, ""); r.raw != "" {
		t.Errorf("a disconnected client is answered %s", r)
	}
}

func TestTheAccessCookieAuthenticates(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	cookie := func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "octavo_access", Value: "student"}) }
	evil := header("Sec-Fetch-Site", "cross-site")
	s.post("/api/books/deleteBook", "", "{}", cookie).wantStatus(400, "invalid_fields")
	r := s.post("/api/books/deleteBook", "", "{}", cookie, evil).wantStatus(403, "forbidden")
	if r.method != "/api/books/deleteBook" {
		t.Errorf("answered %s", r)
	}
	s.post("/api/books/deleteBook", "stale", "{}", cookie).wantStatus(401, "unauthenticated") // the header counts
	for path, pattern := range map[string]string{
		"/api/clearCart": "/api/user/clearCart", "/api/clearCart/": "/api/user/clearCart",
		"/api/search/public/C%2FC": "/api/books/search/public/:query", "/api/nowhere": "/api/nowhere",
	} {
		if r := s.post(path, "", nil, cookie, evil).wantStatus(403, ""); r.method != pattern {
			t.Errorf("%s is called %s", path, r.method)
		}
	}
}

func TestInvalidSettingsAreRejected(t *testing.T) {
	for name, cfg := range map[string]rest.Config{
		"no heartbeat": {MaxStreams: 1}, "no streams": {Heartbeat: 1},
	} {
		if _, err := rest.New(rest.Services{}, cfg, fake.NewClock().Now, nil); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// failingOrders fails after the first page of sales.
type failingOrders struct{ buying.Reader }

func (failingOrders) ListOrders(_ context.Context, _ buying.OrderSelection, before order.ID, n int) ([]market.OrderView, error) {
	if before != 0 {
		return nil, errors.New("the store went away")
	}
	views := make([]market.OrderView, n)
	for i := range views {
		views[i].ID = order.ID(n - i)
	}
	return views, nil
}

func TestAFailedExportCutsTheConnection(t *testing.T) {
	s := open(t, rest.Services{Market: &rooms.Market{Buying: buying.New(market.Deps{}, failingOrders{}, nil, buying.Config{})}}, rest.Default(), fake.NewClock().Now, roleTokens{})
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/dashboard/exportTransactions", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer admin")
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if b, err := io.ReadAll(answer.Body); err == nil || answer.StatusCode != 200 {
		t.Errorf("%d, and %d bytes came as if they were all", answer.StatusCode, len(b))
	}
}

// noLinks fails every lookup of a link.
type noLinks struct{ authrooms.Storage }

func (noLinks) FindLink(context.Context, [32]byte) (challenge.Challenge, error) {
	return challenge.Challenge{}, fault.New(fault.Unavailable, "unavailable", "Please try again.")
}

func TestAConfirmationThatFailsTemporarilyCanBeRetried(t *testing.T) {
	k := authkit.New(t, openStores(t).AuthWithMarket(t), func(p *authrooms.Ports, _ *auth.Config) { p.Storage = noLinks{p.Storage} })
	s := open(t, rest.Services{Auth: k.Auth}, rest.Default(), k.Clock.Now, k.Authenticator)
	path := "/api/auth/confirm/" + strings.Repeat("A", 43)
	for _, lang := range []string{"en", "fr"} {
		r := s.get(path, "", header("Accept", browser), header("Accept-Language", lang)).wantStatus(503, "")
		golden(t, "confirm_later_"+lang+".html", r.raw)
		if r.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	s.get(path, "", header("Accept", "application/json")).wantStatus(503, "unavailable")
}
