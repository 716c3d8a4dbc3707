package webhookhttp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"net/http"

	"github.com/octavo-books/octavo/domain/webhook"
)

// SignedRequest returns the request with which Host would deliver e to url, signed with
// secret. It is for tests of handlers and for programs that send. An event without an id
// gets a random one. It panics if the secret is empty or url is invalid. Set a deadline
// with http.Request.WithContext.
func SignedRequest(secret, url string, e Event) *http.Request {
	key, err := webhook.NewKey(secret)
	if err != nil {
		panic(err)
	}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, bytes.NewReader(e.Payload))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(EventHeader, string(e.Name))
	req.Header.Set(DeliveryHeader, cmp.Or(e.ID, rand.Text()))
	req.Header.Set(SignatureHeader, key.Sign(e.Payload).String())
	return req
}
