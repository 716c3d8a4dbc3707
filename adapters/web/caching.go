package web

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/market"
)

// Share marks the page that the handler is about to render as public: in each language, all
// viewers who are not signed in get the same page. canonical is its address for search
// engines, a path with its query, and the keys are those of what it shows.
func (p *Pages) Share(w http.ResponseWriter, canonical string, keys []market.SurrogateKey) {
	h := w.Header()
	h.Set("Cache-Control", httpx.SharedCaching)
	httpx.SetKeys(h, p.Keys, keys)
	if p.BaseURL != "" {
		h.Set("Link", "<"+p.BaseURL+canonical+`>; rel="canonical"`)
	}
}

// limitCaching keeps copies of a page from everybody but its viewer. Only a shared page
// without errors, requested without any cookie, may be cached by a CDN: a CDN that ignores
// Vary would show it to others.
func (p *Pages) limitCaching(h http.Header, r *http.Request, status int, page layoutData) {
	h.Add("Vary", "Cookie") // the viewer, and the language that the reader chose
	switch {
	case h.Get("Cache-Control") == "", page.Viewer.SignedIn(), page.Flash != "", httpx.HasCredential(r.Context()),
		isShared(h) && status != http.StatusOK:
		h.Set("Cache-Control", "no-store")
	case isShared(h) && r.Header.Get("Cookie") != "":
		h.Set("Cache-Control", "private, no-cache")
	}
	if !isShared(h) {
		p.Keys.Remove(h)
	}
}

func isShared(h http.Header) bool { return h.Get("Cache-Control") == httpx.SharedCaching }
