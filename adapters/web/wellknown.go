package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// WellKnownFiles has the files and redirects that browsers, crawlers and researchers look for at
// fixed paths.
func (p *Pages) WellKnownFiles() Feature {
	f := Feature{Crawled: []string{"/manifest.webmanifest$", "/favicon.ico$"}, Routes: []*Route{
		File("/robots.txt", Anonymous(p.robots)), File("/favicon.ico", Anonymous(p.favicon)), File("/manifest.webmanifest", Anonymous(p.manifest)),
		File("/.well-known/security.txt", Anonymous(p.securityText)),
	}}
	if p.Market != nil {
		f.Routes = append(f.Routes, File("/sw.js", Anonymous(p.serviceWorker)), Get("/offline", Anonymous(p.offline)))
	}
	if p.Identity != nil {
		f.Routes = append(f.Routes, File("/.well-known/change-password", Anonymous(http.RedirectHandler("/account", http.StatusFound).ServeHTTP)))
	}
	return f
}

// robots serves GET /robots.txt (RFC 9309). It names what may be read, so that a new page
// is private by default.
func (p *Pages) robots(w http.ResponseWriter, _ *http.Request) {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	if p.Market != nil {
		for _, path := range p.crawled {
			b.WriteString("Allow: " + path + "\n")
		}
	}
	b.WriteString("Disallow: /\n")
	writeFile(w, "text/plain; charset=utf-8", []byte(b.String()))
}

// securityTextFor is how long a copy of security.txt holds. RFC 9116 recommends less than
// a year.
const securityTextFor = 180 * 24 * time.Hour

// securityText serves GET /.well-known/security.txt (RFC 9116).
func (p *Pages) securityText(w http.ResponseWriter, _ *http.Request) {
	contact := p.BaseURL + "/help"
	if p.Support != "" {
		contact = "mailto:" + p.Support
	}
	expires := p.Clock.Now().UTC().Truncate(24 * time.Hour).Add(securityTextFor)
	writeFile(w, "text/plain; charset=utf-8", fmt.Appendf(nil, "Contact: %s\nExpires: %s\nPreferred-Languages: en, fr\nCanonical: %s/.well-known/security.txt\n",
		contact, expires.Format(time.RFC3339), p.BaseURL))
}

// manifest is a web app manifest, which makes the site installable on a phone.
type manifest struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	ShortName  string         `json:"short_name"`
	StartURL   string         `json:"start_url"`
	Scope      string         `json:"scope"`
	Display    string         `json:"display"`
	Background string         `json:"background_color"`
	Theme      string         `json:"theme_color"`
	Icons      []manifestIcon `json:"icons"`
}

type manifestIcon struct {
	Src     string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose"`
}

// manifest serves GET /manifest.webmanifest.
func (p *Pages) manifest(w http.ResponseWriter, r *http.Request) {
	m := manifest{
		ID: "/", Name: p.Service, ShortName: p.Service, StartURL: "/", Scope: "/", Display: "standalone",
		Background: "#ffffff", Theme: "#ffffff",
	}
	for _, icon := range []struct{ name, sizes, purpose string }{
		{"icon-192.png", "192x192", "any"}, {"icon-512.png", "512x512", "any"},
		{"icon-maskable-192.png", "192x192", "maskable"}, {"icon-maskable-512.png", "512x512", "maskable"},
	} {
		src, err := p.assets.path(icon.name)
		if err != nil {
			p.HandleError(w, r, err)
			return
		}
		m.Icons = append(m.Icons, manifestIcon{src, icon.sizes, "image/png", icon.purpose})
	}
	text, err := json.Marshal(m)
	if err != nil {
		p.HandleError(w, r, err)
		return
	}
	writeFile(w, "application/manifest+json", text)
}

// offlinePath is the page that the service worker shows without a connection.
const offlinePath = "/offline"

// offline serves GET /offline.
func (p *Pages) offline(w http.ResponseWriter, r *http.Request) {
	p.RenderMessage(w, r, "You are offline", "There is no connection. Try again when there is one: nothing of this site is kept on this device.")
}

// serviceWorker serves GET /sw.js: below /static it could not control the other pages. A new release, or another
// configuration, is another file, which browsers install instead.
func (p *Pages) serviceWorker(w http.ResponseWriter, r *http.Request) {
	kept := []string{offlinePath}
	for _, name := range []string{strings.TrimPrefix(styleSheet, "/static/"), "icon.svg"} {
		path, err := p.assets.path(name)
		if err != nil {
			p.HandleError(w, r, err)
			return
		}
		kept = append(kept, path)
	}
	icon, err := p.assets.path("icon-192.png")
	if err != nil {
		p.HandleError(w, r, err)
		return
	}
	script, err := files.ReadFile("static/sw.js")
	if err != nil {
		p.HandleError(w, r, err)
		return
	}
	names, err := json.Marshal(kept)
	if err != nil {
		p.HandleError(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", "default-src 'none'; connect-src 'self'; img-src 'self'")
	_, _ = fmt.Fprintf(w, "const files = %s, icon = %q, version = files.join();\n%s", names, icon, script)
}

// favicon serves GET /favicon.ico, for programs that read no page first: an ICO file with
// one PNG.
func (p *Pages) favicon(w http.ResponseWriter, r *http.Request) {
	icon, err := files.ReadFile("static/icon-48.png")
	if err != nil {
		p.HandleError(w, r, err)
		return
	}
	const header = 6 + 16 // of the file, and of its one entry
	size := len(icon)
	ico := append([]byte{
		0, 0, 1, 0, 1, 0, // an icon file with one entry
		48, 48, 0, 0, 1, 0, 32, 0, // width, height, no palette, one plane, 32 bits for each pixel
		byte(size), byte(size >> 8), byte(size >> 16), byte(size >> 24), header, 0, 0, 0,
	}, icon...)
	writeFile(w, "image/x-icon", ico)
}

// writeFile writes a small file that is the same for everybody.
func writeFile(w http.ResponseWriter, mediaType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "public, max-age=86400")
	_, _ = w.Write(body)
}
