package rest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/rest/openapi"
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

func newPublicRead(ctx context.Context, e *Edge, data any, link *string) (publicRead, error) {
	c := ginOf(ctx)
	buf := bytes.NewBuffer(make([]byte, 0, sizeHint))
	buf.WriteString(`{"data":`)
	start := buf.Len()
	if err := json.NewEncoder(buf).Encode(data); err != nil {
		return publicRead{}, err
	}
	buf.Truncate(buf.Len() - 1) // the encoder's line break
	sum := sha256.New()
	sum.Write(buf.Bytes()[start:])
	if link != nil {
		sum.Write([]byte(*link))
	}
	p := publicRead{link: link, private: operationOf(c).Who == openapi.Optional && by(ctx).Known()}
	p.etag = `W/"` + base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12]) + `"`
	p.known = matches(c.GetHeader("If-None-Match"), p.etag)
	buf.WriteString(`,"time":"` + e.clock.Now().UTC().Format(time.RFC3339Nano) + `","method":"` + patternOf(c) + "\"}\n")
	p.body = buf.Bytes()
	return p, nil
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
	_, err := w.Write(p.body)
	return err
}

// The generated code asks each answer to write itself under the operation's name.

func (p publicRead) VisitGetAllBooksResponse(w http.ResponseWriter) error     { return p.write(w) }
func (p publicRead) VisitGetBooksNoTokenResponse(w http.ResponseWriter) error { return p.write(w) }
func (p publicRead) VisitSearchPublicResponse(w http.ResponseWriter) error    { return p.write(w) }
func (p publicRead) VisitGetBookResponse(w http.ResponseWriter) error         { return p.write(w) }
