package web

import (
	"net/http"

	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/user"
)

// Reopen shows a page that opens the same address once more, and reports whether it did so.
// Browsers withhold cookies with SameSite=Strict from a page to which another site leads, and
// nobody is signed in there. The second request comes from our own page and has them.
func (p *Pages) Reopen(w http.ResponseWriter, r *http.Request, by user.Caller) bool {
	withheld := p.Cookies.Strict() && r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Dest") == "document"
	if !withheld || by.SignedIn() || r.Method != http.MethodGet {
		return false
	}
	p.ContinueTo(w, r, r.URL.RequestURI())
	return true
}

// WithAllCookies calls h with the cookies that Reopen waits for.
func (p *Pages) WithAllCookies(h Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request, by user.Caller) error {
		if p.Reopen(w, r, by) {
			return nil
		}
		return h(w, r, by)
	}
}

// CarryRequest lets the browser keep the sealed request of an application until somebody has
// signed in, and returns a key for it.
func (p *Pages) CarryRequest(w http.ResponseWriter, r *http.Request, sealed string) string {
	kept := p.Cookies.Requests()
	key := kept.Key()
	kept.Put(w, r, key, sealed, challenge.AuthorizationRequest.Lifetime())
	return key
}
