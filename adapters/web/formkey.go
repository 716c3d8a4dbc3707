package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"

	"github.com/octavo-books/octavo/application/market"
)

// NewFormKey is the hidden key of a form that must take effect only once, even if
// its button is pressed twice.
func NewFormKey() []Hidden { return []Hidden{{"key", rand.Text()}} }

// formKey derives an idempotency key from the hidden key and all fields: the same
// form submitted again has the same key, a changed one has another. It returns "" for
// a form without a key.
func formKey(r *http.Request) string {
	if r.PostForm.Get("key") == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(r.URL.Path + "?" + r.PostForm.Encode()))
	return "form " + base64.RawURLEncoding.EncodeToString(sum[:])
}

// IdempotencyKeyOf returns the idempotency key of a form. It needs no body hash,
// because the key depends on all fields.
func IdempotencyKeyOf(r *http.Request) market.IdempotencyKey {
	return market.IdempotencyKey{Value: formKey(r)}
}
