package httpkit

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/user"
)

// Exchange is one request and its answer, as the log and the metrics see it.
type Exchange struct {
	ID       string // X-Request-Id
	Method   string
	Path     string // without the query, which may hold a secret
	Route    string // the pattern that served it; "" when none did
	Source   user.Source
	Status   int
	Bytes    int64
	Duration time.Duration
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *Exchange {
	x, _ := ctx.Value(exchangeKey{}).(*Exchange)
	return x
}

// RequestID is the id of the request that ctx belongs to; "" outside one.
func RequestID(ctx context.Context) string {
	if x := exchangeOf(ctx); x != nil {
		return x.ID
	}
	return ""
}

// AskedByHead reports whether the client sent HEAD. The router serves it as GET;
// a route on which GET does something must not do it then.
func AskedByHead(ctx context.Context) bool {
	x := exchangeOf(ctx)
	return x != nil && x.Method == http.MethodHead
}

// Source is where the request of ctx came from; zero outside one.
func Source(ctx context.Context) user.Source {
	if x := exchangeOf(ctx); x != nil {
		return x.Source
	}
	return user.Source{}
}

// SetRoute notes which pattern serves the request, for the log and the metrics.
// The router calls it, before any handler runs.
func SetRoute(ctx context.Context, pattern string) {
	if x := exchangeOf(ctx); x != nil {
		x.Route = pattern
	}
}

const maxRequestID = 64

// requestID takes the caller's id if it is sane, else makes one of 130 bits.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); saneID(id) {
		return id
	}
	return rand.Text()
}

func saneID(s string) bool {
	if s == "" || len(s) > maxRequestID {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && !strings.ContainsRune("-_.", rune(c)) {
			return false
		}
	}
	return true
}

const maxUserAgent = 512

// cleanUserAgent makes of a header what user.Source promises.
func cleanUserAgent(s string) string {
	s = s[:min(len(s), 4*maxUserAgent)]
	s = strings.Map(func(c rune) rune {
		if c == utf8.RuneError || unicode.IsControl(c) {
			return -1
		}
		return c
	}, s)
	for len(s) > maxUserAgent {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s
}
