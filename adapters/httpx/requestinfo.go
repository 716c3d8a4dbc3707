package httpx

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/user"
)

// RequestInfo describes a request and its response, for logs and metrics.
type RequestInfo struct {
	ID       string // X-Request-Id
	Method   string
	Path     string // without the query, which may contain a secret
	Route    string // the pattern that matched; "" if none did
	Client   user.ClientInfo
	Status   int
	Bytes    int64
	Duration time.Duration

	attrs []slog.Attr // see AddLogAttrs
}

type requestInfoKey struct{}

func requestInfo(ctx context.Context) *RequestInfo {
	info, _ := ctx.Value(requestInfoKey{}).(*RequestInfo)
	return info
}

// RequestID returns the id of the current request, "" outside a request.
func RequestID(ctx context.Context) string {
	if info := requestInfo(ctx); info != nil {
		return info.ID
	}
	return ""
}

// IsHead reports whether the client sent HEAD. The router serves HEAD as GET, so
// a GET route with side effects must check it.
func IsHead(ctx context.Context) bool {
	info := requestInfo(ctx)
	return info != nil && info.Method == http.MethodHead
}

// ClientInfo returns the client of the current request, zero outside a request.
func ClientInfo(ctx context.Context) user.ClientInfo {
	if info := requestInfo(ctx); info != nil {
		return info.Client
	}
	return user.ClientInfo{}
}

// SetRoute records the matched pattern for logs and metrics. The router calls
// it before any handler runs.
func SetRoute(ctx context.Context, pattern string) {
	if info := requestInfo(ctx); info != nil {
		info.Route = pattern
	}
}

// AddLogAttrs adds to what is logged about the request when it ends. Call it on the request's
// goroutine.
func AddLogAttrs(ctx context.Context, attrs ...slog.Attr) {
	if info := requestInfo(ctx); info != nil {
		info.attrs = append(info.attrs, attrs...)
	}
}

const maxRequestID = 64

// requestID returns the client's X-Request-Id if it is valid, else a new id of
// 130 random bits.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); validRequestID(id) {
		return id
	}
	return rand.Text()
}

// validRequestID keeps line breaks, markup and long texts out of the log.
func validRequestID(s string) bool {
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

// cleanUserAgent brings a header into the form that user.ClientInfo promises.
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
