package rest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/adapters/rest/openapi"
	"github.com/octavo-books/octavo/application/market"
)

// publicRead is an answer that a client may keep and ask about again. Its ETag
// is of the data alone, because the time in the envelope changes always; hence
// it is a weak one.
type publicRead struct {
	body    []byte
	etag    string
	link    *string
	known   bool // the client has it already
	private bool // made for one caller
}

// sizeHint is a usual page; a longer one makes the buffer grow.
const sizeHint = 16 << 10

// newPublicRead lets write append the data.
func newPublicRead(ctx context.Context, e *Edge, link *string, write func([]byte) ([]byte, error)) (publicRead, error) {
	c := ginOf(ctx)
	const before = `{"data":`
	b, err := write(append(make([]byte, 0, sizeHint), before...))
	if err != nil {
		return publicRead{}, err
	}
	p := publicRead{link: link, etag: etagOf(b[len(before):], link)}
	p.private = operationOf(c).Who == openapi.Optional && by(ctx).SignedIn()
	p.known = matches(c.GetHeader("If-None-Match"), p.etag)
	b = appendTime(append(b, `,"time":`...), e.clock.Now())
	b = appendText(append(b, `,"method":`...), patternOf(c))
	b = append(b, "}\n"...)
	p.body = b
	return p, nil
}

func etagOf(data []byte, link *string) string {
	sum := sha256.New()
	sum.Write(data)
	if link != nil {
		sum.Write([]byte(*link))
	}
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12]) + `"`
}

// newPublicList is a page of books.
func newPublicList(ctx context.Context, e *Edge, views []market.BookView, next market.Cursor) (publicRead, error) {
	return newPublicRead(ctx, e, linkTo(ctx, next), func(b []byte) ([]byte, error) { return appendBooks(b, views) })
}

// matches compares weakly, as If-None-Match does (RFC 9110, 13.1.2).
func matches(header, etag string) bool {
	if header == "" {
		return false
	}
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == strings.TrimPrefix(etag, "W/") {
			return true
		}
	}
	return false
}

func (p publicRead) write(w http.ResponseWriter) error {
	h := w.Header()
	h.Set("ETag", p.etag)
	h.Add("Vary", "Authorization")
	h.Add("Vary", "Cookie")
	h.Set("Cache-Control", "no-cache") // keep it, but ask each time
	if p.private {
		h.Set("Cache-Control", "private, no-cache")
	}
	if p.link != nil {
		h.Set("Link", *p.link)
	}
	if p.known {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(p.body))) // else it is sent in chunks
	_, err := w.Write(p.body)
	return err
}

// The generated code asks each answer to write itself under the operation's name.

func (p publicRead) VisitGetAllBooksResponse(w http.ResponseWriter) error     { return p.write(w) }
func (p publicRead) VisitGetBooksNoTokenResponse(w http.ResponseWriter) error { return p.write(w) }
func (p publicRead) VisitSearchPublicResponse(w http.ResponseWriter) error    { return p.write(w) }
func (p publicRead) VisitGetBookResponse(w http.ResponseWriter) error         { return p.write(w) }
