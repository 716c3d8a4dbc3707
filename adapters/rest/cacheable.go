package rest

import (
	"context"
	"net/http"
	"strconv"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/application/market"
)

// cacheableResponse is a response that clients may cache and revalidate. Its ETag
// covers the data only, because the time in the envelope always changes, and is
// therefore weak.
type cacheableResponse struct {
	body        []byte
	etag        string
	link        *string
	instead     *string // what a search looked for instead, see instead
	notModified bool    // the client's copy is current
	private     bool    // came with a credential
	keys        httpx.SurrogateKeys
	shows       []market.SurrogateKey
}

// Sizes of buffers: enough for an answer without its books, and for a usual book.
const (
	sizeOfAnswer = 256
	sizeOfBook   = 1000
)

// newCacheableResponse builds the response; write appends the data, which has so many books. The keys
// are those of what it shows.
func newCacheableResponse(
	ctx context.Context, h *Handler, link *string, shows []market.SurrogateKey, books int, write func([]byte) ([]byte, error),
) (cacheableResponse, error) {
	c := ginOf(ctx)
	const before = `{"data":`
	b, err := write(append(make([]byte, 0, sizeOfAnswer+books*sizeOfBook), before...))
	if err != nil {
		return cacheableResponse{}, err
	}
	p := cacheableResponse{link: link, etag: etagOf(b[len(before):], link), keys: h.cfg.Keys, shows: shows}
	p.private = httpx.HasCredential(ctx)
	p.notModified = httpx.IsCurrent(c.Request, p.etag)
	b = wire.AppendTime(append(b, `,"time":`...), h.clock.Now())
	b = wire.AppendText(append(b, `,"method":`...), patternOf(c))
	b = append(b, "}\n"...)
	p.body = b
	return p, nil
}

func etagOf(data []byte, link *string) string {
	if link == nil {
		return httpx.WeakETag(data)
	}
	return httpx.WeakETag(data, []byte(*link))
}

// newCacheableList returns a page of books.
func newCacheableList(ctx context.Context, h *Handler, views []market.BookView, next market.Cursor) (cacheableResponse, error) {
	return newCacheableResponse(ctx, h, linkTo(ctx, next), market.ListKeys(), len(views), func(b []byte) ([]byte, error) {
		return h.appendBooks(b, views)
	})
}

func (p cacheableResponse) write(w http.ResponseWriter) error {
	header := w.Header()
	header.Set("ETag", p.etag)
	header.Add("Vary", "Authorization")
	header.Add("Vary", "Cookie")
	header.Set("Cache-Control", httpx.SharedCaching)
	if p.private {
		header.Set("Cache-Control", "private, no-cache") // cache, but revalidate each time
	} else {
		httpx.SetKeys(header, p.keys, p.shows)
	}
	if p.link != nil {
		header.Set("Link", *p.link)
	}
	if p.instead != nil {
		header.Set("Searched-Instead", *p.instead)
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
func (p cacheableResponse) VisitSearchResponse(w http.ResponseWriter) error       { return p.write(w) }
func (p cacheableResponse) VisitGetBookResponse(w http.ResponseWriter) error      { return p.write(w) }
