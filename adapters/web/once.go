package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"

	"github.com/octavo-books/octavo/application/market"
)

// oneTimeKey is what a form keeps whose button may be pressed twice but must do
// its work once.
func oneTimeKey() []hidden { return []hidden{{"key", rand.Text()}} }

// onceKey names a form with a one-time key and all that was typed into it: sent
// again as it was it is the same, changed it is another. Empty without a key.
func onceKey(r *http.Request) string {
	if r.PostForm.Get("key") == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(r.URL.Path + "?" + r.PostForm.Encode()))
	return "form " + base64.RawURLEncoding.EncodeToString(sum[:])
}

// onceOf is what a form does once. Its key tells all that was typed, so that no
// hash has to.
func onceOf(r *http.Request) market.IdempotencyKey { return market.IdempotencyKey{Value: onceKey(r)} }
