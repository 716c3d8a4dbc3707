package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

func TestEveryKindOfFaultHasAStatus(t *testing.T) {
	for kind, want := range map[fault.Kind]int{
		fault.Invalid: 400, fault.Unauthenticated: 401, fault.Forbidden: 403, fault.NotFound: 404,
		fault.Conflict: 409, fault.Limited: 429, fault.Unavailable: 503, 0: 500,
	} {
		if got := httpx.Status(fmt.Errorf("wrapped: %w", fault.New(kind, "x", "X."))); got != want {
			t.Errorf("kind %d is %d, want %d", kind, got, want)
		}
	}
	for err, want := range map[error]int{
		errors.New("disk"): 500, context.DeadlineExceeded: 503, &http.MaxBytesError{Limit: 1}: 413,
	} {
		if got := httpx.Status(err); got != want {
			t.Errorf("%v is %d, want %d", err, got, want)
		}
	}
}

func TestCausesAreNeverShown(t *testing.T) {
	if got := httpx.PublicMessage(errors.New("dial tcp 10.0.0.1")); got != httpx.ErrInternal.Msg {
		t.Errorf("showed %q, want %q", got, httpx.ErrInternal.Msg)
	}
	if got := httpx.PublicMessage(fmt.Errorf("me: %w", user.ErrUnauthenticated)); got != user.ErrUnauthenticated.Msg {
		t.Errorf("showed %q, want %q", got, user.ErrUnauthenticated.Msg)
	}
}

func TestAFieldMessageIsASentence(t *testing.T) {
	for why, want := range map[string]string{
		"must have 8 to 128 characters": "Must have 8 to 128 characters.", "est trop long": "Est trop long.",
		"Must be at most 40 characters.": "Must be at most 40 characters.", "": "", "ý": "Ý.",
	} {
		if got := httpx.FieldMessage(why); got != want {
			t.Errorf("%q reads %q, want %q", why, got, want)
		}
	}
}

func TestTemporaryRefusalsHaveARetryAfter(t *testing.T) {
	limited := fault.New(fault.Limited, "x", "X.")
	for _, c := range []struct {
		err  error
		want string
	}{
		{limited.After(1500 * time.Millisecond), "2"}, {limited.After(time.Millisecond), "1"}, {limited, "5"},
		{context.DeadlineExceeded, "5"}, {user.ErrForbidden, ""},
	} {
		h := http.Header{}
		httpx.SetRetryAfter(h, c.err)
		if h.Get("Retry-After") != c.want {
			t.Errorf("%v: Retry-After %q, want %q", c.err, h.Get("Retry-After"), c.want)
		}
	}
}

func TestTheRequestLimitAppliesToEachClient(t *testing.T) {
	m := newMiddleware(t, httpx.Config{RequestsPerSecond: 3}, httpx.Options{})
	from := func(addr string) *httptest.ResponseRecorder {
		return send(m, ok, func(r *http.Request) { r.RemoteAddr = addr })
	}
	refused := 0
	for range 30 {
		if w := from("192.0.2.1:1"); w.Code == 429 {
			refused++
			if w.Header().Get("Retry-After") != "1" || w.Header().Get("X-Request-Id") == "" {
				t.Fatalf("headers %v", w.Header())
			}
		}
	}
	if refused < 20 {
		t.Errorf("only %d of 30 at once were refused", refused)
	}
	if from("192.0.2.2:1").Code != 200 {
		t.Error("another client is limited too")
	}
	for range 10 {
		from("[2001:db8::1]:1")
	}
	if from("[2001:db8::2]:1").Code != 429 {
		t.Error("another address of the same /64 has its own limit")
	}
}

func TestProbesAreNotLimited(t *testing.T) {
	m := newMiddleware(t, httpx.Config{RequestsPerSecond: 1, UnlimitedPaths: []string{"/healthz"}}, httpx.Options{})
	for range 20 {
		if w := send(m, ok, func(r *http.Request) { r.URL.Path = "/healthz" }); w.Code != 200 {
			t.Fatalf("a probe got %d, want 200", w.Code)
		}
	}
}
