package web

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
)

// Route is one route. Its path may have parameters as gin writes them, such as :id, which the
// handler takes from the path itself.
type Route struct {
	Method, Path string
	Handler      http.HandlerFunc

	Room string   // of the market, or Account; "" for what all rooms share
	For  Audience // others are refused
	// File reports that the answer to a GET is a file or a redirect, Leads that it leads to the page
	// with a form. Others show a page.
	File, Leads bool
	// Slow reports that the route has no request timeout: a phone may take long to send a photo.
	Slow bool
	// Example is a query with which the page shows something, for tests and pictures of all pages.
	// In braces are names of what a campus has, such as {order}.
	Example string

	menu *menuEntry
	form func(typed url.Values) FormView
}

// Get is the route of a page.
func Get(path string, h guarded) *Route {
	return &Route{Method: http.MethodGet, Path: path, Handler: h.Serve, For: h.audience}
}

// File is the route of a file, or of a redirect.
func File(path string, h guarded) *Route {
	r := Get(path, h)
	r.File = true
	return r
}

// Post is the route to which a form is sent.
func Post(path string, h guarded) *Route {
	return &Route{Method: http.MethodPost, Path: path, Handler: h.Serve, For: h.audience}
}

// WithoutTimeout takes the time limit from requests of the route.
func (r *Route) WithoutTimeout() *Route { r.Slow = true; return r }

// With sets the example of the route.
func (r *Route) With(example string) *Route { r.Example = example; return r }

// InMenu adds a link to the page, on the page /me for students and on the dashboard for staff.
func (r *Route) InMenu(position int, name, about string) *Route {
	r.menu = &menuEntry{position: position, name: name, about: about}
	return r
}

// InMenuIf hides the link unless shown returns true.
func (r *Route) InMenuIf(shown func() bool) *Route {
	r.menu.shown = shown
	return r
}

// Restores adds the form in which people type what this route gets. If the page of the form cannot be
// shown with what is wrong, or if the session has ended meanwhile, the form alone is rendered
// with the submitted values: whatever fails, nothing that was typed is lost.
func (r *Route) Restores(form func(typed url.Values) FormView) *Route { r.form = form; return r }

// Routes returns all routes of the pages.
func (p *Pages) Routes() []Route { return p.routes }

// redirectsForPosts adds a GET route to paths that only accept POST. It redirects
// people who open them, after signing in or from the browser's history, to the page
// that contains the form.
func redirectsForPosts(routes []Route) (more []Route) {
	got := map[string]bool{}
	for _, r := range routes {
		got[r.Path] = got[r.Path] || r.Method == http.MethodGet
	}
	for _, r := range routes {
		if !got[r.Path] {
			leads := Get(r.Path, Anonymous(http.RedirectHandler(path.Dir(r.Path), http.StatusSeeOther).ServeHTTP))
			leads.Room, leads.Leads = r.Room, true
			more = append(more, *leads)
		}
	}
	return more
}

// heads answers HEAD wherever GET is answered.
func heads(routes []Route) (more []Route) {
	for _, r := range routes {
		if r.Method == http.MethodGet {
			r.Method = http.MethodHead
			more = append(more, r)
		}
	}
	return more
}

// Feature is what one file of pages brings. Templates and translations are found by themselves.
type Feature struct {
	Routes []*Route
	// Flashes are texts at the top of the page that follows a form, by their names in cookies.
	Flashes map[string]string
	// Crawled are the paths that crawlers may read, as patterns of robots.txt. All others are
	// private pages, forms, or searches, whose number is unlimited.
	Crawled []string
}

// Room is a part of the pages, with what its package brings.
type Room struct {
	Name     string
	Features []Feature
}

// Account is the room of accounts and signing in.
const Account = "account"

// Add adds what rooms bring. It is called once, with all of them.
func (p *Pages) Add(rooms []Room) error {
	p.flashes, p.forms = map[string]string{}, map[string]func(url.Values) FormView{}
	for _, room := range rooms {
		for _, f := range room.Features {
			for _, r := range f.Routes {
				r.Room = room.Name
				p.routes = append(p.routes, *r)
				if r.form != nil {
					p.forms[r.Path] = r.form
				}
			}
			p.crawled = append(p.crawled, f.Crawled...)
			for name, text := range f.Flashes {
				if p.flashes[name] != "" {
					return fmt.Errorf("web: two features have a message %q", name)
				}
				p.flashes[name] = text
			}
		}
	}
	p.routes = append(p.routes, redirectsForPosts(p.routes)...)
	p.routes = append(p.routes, heads(p.routes)...)
	return nil
}
