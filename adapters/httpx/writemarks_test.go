package httpx_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// recordedMarks records how long the marks of user 7 cover a request.
type recordedMarks struct {
	within []time.Duration
	err    error
}

func (m *recordedMarks) MarkWriter(_ context.Context, id user.ID, within time.Duration) error {
	if id == 7 {
		m.within = append(m.within, within)
	}
	return m.err
}

type signedIn struct{}

func (signedIn) Authenticate(context.Context, string, user.ClientInfo) (user.Caller, error) {
	return user.Caller{ID: 7}, nil
}

// requestMarked serves a request and returns the error of its caller.
func requestMarked(t *testing.T, m *recordedMarks, method, path string) (err error) {
	t.Helper()
	auth := httpx.MarkWriters(signedIn{}, m.MarkWriter, httpx.WriterConfig{Timeout: time.Second, SlowPaths: []string{"/upload"}})
	h := newMiddleware(t, httpx.Config{}, httpx.Options{Auth: auth}).Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err = httpx.CallerFrom(r.Context())
	}))
	r := httptest.NewRequest(method, path, nil)
	r.Header.Set("Authorization", "Bearer token")
	h.ServeHTTP(httptest.NewRecorder(), r)
	return err
}

func TestRequestsThatMayWriteMarkTheirCaller(t *testing.T) {
	for _, c := range []struct {
		method, path string
		want         time.Duration // 0: no mark
	}{
		{"GET", "/x", 0}, {"HEAD", "/x", 0}, {"OPTIONS", "/x", 0}, {"GET", "/upload", 0},
		{"POST", "/x", time.Second}, {"PATCH", "/x", time.Second}, {"DELETE", "/x", time.Second}, {"POST", "/upload", httpx.MaxUpload},
	} {
		var m recordedMarks
		if err := requestMarked(t, &m, c.method, c.path); err != nil {
			t.Errorf("%s %s: %v", c.method, c.path, err)
		}
		if c.want == 0 && len(m.within) > 0 || c.want != 0 && (len(m.within) != 1 || m.within[0] != c.want) {
			t.Errorf("%s %s marks for %v, want %v", c.method, c.path, m.within, c.want)
		}
	}
}

func TestARequestThatCannotBeMarkedIsRefused(t *testing.T) {
	m := recordedMarks{err: fault.New(fault.Unavailable, "unavailable", "down")}
	if err := requestMarked(t, &m, "POST", "/x"); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("error: %v", err)
	}
}
