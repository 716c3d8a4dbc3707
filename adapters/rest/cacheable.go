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

// cacheableResponse is a response that clients may cache and revalidate. Its ETag
// covers the data only, because the time in the envelope always changes, and is
// therefore weak.
type cacheableResponse struct {
	body        []byte
	etag        string
	link        *string
	notModified bool // the client's copy is current
	private     bool // depends on the caller
}

// sizeHint is the initial buffer size, enough for a usual page.
const sizeHint = 16 << 10

// newCacheableResponse builds the response; write appends the data.
func newCacheableResponse(ctx context.Context, h *Handler, link *string, write func([]byte) ([]byte, error)) (cacheableResponse, error) {
	c := ginOf(ctx)
	const before = `{"data":`
	b, err := write(append(make([]byte, 0, sizeHint), before...))
	if err != nil {
		return cacheableResponse{}, err
	}
	p := cacheableResponse{link: link, etag: etagOf(b[len(before):], link)}
	p.private = operationOf(c).Who == openapi.Optional && callerOf(ctx).SignedIn()
	p.notModified = etagMatches(c.GetHeader("If-None-Match"), p.etag)
	b = appendTime(append(b, `,"time":`...), h.clock.Now())
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

// newCacheableList returns a page of books.
func newCacheableList(ctx context.Context, h *Handler, views []market.BookView, next market.Cursor) (cacheableResponse, error) {
	return newCacheableResponse(ctx, h, linkTo(ctx, next), func(b []byte) ([]byte, error) { return h.appendBooks(b, views) })
}

// etagMatches compares weakly, as If-None-Match requires (RFC 9110, 13.1.2).
func etagMatches(header, etag string) bool {
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

func (p cacheableResponse) write(w http.ResponseWriter) error {
	header := w.Header()
	header.Set("ETag", p.etag)
	header.Add("Vary", "Authorization")
	header.Add("Vary", "Cookie")
	header.Set("Cache-Control", "no-cache") // cache, but revalidate each time
	if p.private {
		header.Set("Cache-Control", "private, no-cache")
	}
	if p.link != nil {
		header.Set("Link", *p.link)
	}
	if p.notModified {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(p.body))) // avoids chunked encoding
	_, err := w.Write(p.body)
	return err
}

// The generated code calls a method named after the operation on each response.

func (p cacheableResponse) VisitGetAllBooksResponse(w http.ResponseWriter) error { return p.write(w) }
func (p cacheableResponse) VisitGetBooksNoTokenResponse(w http.ResponseWriter) error {
	return p.write(w)
}
func (p cacheableResponse) VisitSearchPublicResponse(w http.ResponseWriter) error { return p.write(w) }
func (p cacheableResponse) VisitGetBookResponse(w http.ResponseWriter) error      { return p.write(w) }
