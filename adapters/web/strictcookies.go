package web

import (
	"net/http"

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
	p.continueTo(w, r, r.URL.RequestURI())
	return true
}

// withAllCookies calls h with the cookies that Reopen waits for.
func (p *Pages) withAllCookies(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request, by user.Caller) error {
		if p.Reopen(w, r, by) {
			return nil
		}
		return h(w, r, by)
	}
}
