package rest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
)

// failing is a store of which every read fails.
type failing struct {
	market.BookReader
	market.Index
	market.Vocabulary
	err error
}

func (f failing) Views(context.Context, ...book.ID) ([]market.BookView, error) { return nil, f.err }

func (f failing) Listed(context.Context, market.Criteria, market.Sort, market.Position, int) ([]market.BookView, error) {
	return nil, f.err
}

func brokenBy(t *testing.T, err error) *site {
	t.Helper()
	f := failing{err: err}
	return open(t, rest.Services{Catalogue: market.NewCatalogue(f, f, f)}, rest.Default(), fake.NewClock(), absent{})
}

// absent is an identity core whose store is down.
type absent struct{}

func (absent) Authenticate(context.Context, string, user.Source) (user.Caller, error) {
	return user.Caller{}, fault.New(fault.Unavailable, "unavailable", "Please try again.").After(7 * time.Second)
}

func TestAStoreThatIsDownIsA503WithRetryAfter(t *testing.T) {
	s := brokenBy(t, fault.New(fault.Unavailable, "unavailable", "Please try again."))
	if r := s.get("/api/books/getAllBooks", "").is(503, "unavailable"); r.header.Get("Retry-After") != "5" {
		t.Errorf("Retry-After %q", r.header.Get("Retry-After"))
	}
	if r := s.get("/api/user/getUserData", "any").is(503, "unavailable"); r.header.Get("Retry-After") != "7" || r.header.Get("WWW-Authenticate") != "" {
		t.Errorf("%v", r.header)
	}
	s = brokenBy(t, context.DeadlineExceeded)
	if r := s.get("/api/books/getBook/1", "").is(503, "unavailable"); r.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

func TestCausesAreNeverTold(t *testing.T) {
	s := brokenBy(t, errors.New("dial tcp 10.0.0.7: connection refused"))
	for _, path := range []string{"/api/books/getAllBooks", "/api/books/getBook/1"} {
		if r := s.get(path, "").is(500, "internal"); strings.Contains(r.raw, "10.0.0.7") || r.header.Get("ETag") != "" {
			t.Errorf("told %s", r.raw)
		}
	}
}

func TestTheAccessCookieSignsInHereToo(t *testing.T) {
	s := outline(t)
	cookie := func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "octavo_access", Value: "student"}) }
	evil := header("Sec-Fetch-Site", "cross-site")
	s.post("/api/books/deleteBook", "", "{}", cookie).is(400, "invalid_fields")
	r := s.post("/api/books/deleteBook", "", "{}", cookie, evil).is(403, "forbidden")
	if r.method != "/api/books/deleteBook" {
		t.Errorf("answered %s", r.raw)
	}
	s.post("/api/books/deleteBook", "stale", "{}", cookie).is(401, "unauthenticated") // the header counts
}

func TestSettingsThatCannotWorkAreRefused(t *testing.T) {
	for name, cfg := range map[string]rest.Config{
		"no heartbeat": {Look: 1, Streams: 1}, "no look": {Heartbeat: 1, Streams: 1}, "no streams": {Heartbeat: 1, Look: 1},
	} {
		if _, err := rest.New(rest.Services{}, cfg, fake.NewClock(), nil); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
