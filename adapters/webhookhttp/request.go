package webhookhttp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
)

// SignedRequest returns the request with which a sender, by default Host, would deliver e to url
// now, signed with secret. It is for tests of handlers and for programs that send. An event
// without an ID gets a random one; if the sender has event or ID in the body, the payload decides
// them. The content type is that of e.Header or application/json. It panics if the secret is
// empty or of another form, url is invalid, or the sender cannot sign: one that signs in the body
// or with a certificate, or whose secret is a public key. Set a deadline with
// http.Request.WithContext.
func SignedRequest(secret, url string, e Event, sender ...*Sender) *http.Request {
	from := Host
	if len(sender) > 0 {
		from = sender[0]
	}
	key, err := from.Key(secret)
	if err != nil {
		panic(err)
	}
	e.ID = cmp.Or(e.ID, rand.Text())
	if e.Header["Content-Type"] == "" {
		e.Header = withType(e.Header)
	}
	signed, err := key.SignRequestTo(url, e, time.Now())
	if err != nil {
		panic(fmt.Errorf("%s: %w", from.Name(), err))
	}
	return request(url, e, signed)
}

// withType returns the headers with a content type.
func withType(header map[string]string) map[string]string {
	typed := map[string]string{"Content-Type": "application/json"}
	for name, value := range header {
		typed[name] = value
	}
	return typed
}

func request(url string, e Event, signed webhook.Request) *http.Request {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, bytes.NewReader(e.Payload))
	if err != nil {
		panic(err)
	}
	for name, value := range e.Header {
		req.Header.Set(name, value)
	}
	for name, values := range signed.Header {
		req.Header[name] = values
	}
	return req
}
