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
	form func(typed url.Values) formView
}

func get(path string, h guarded) *Route {
	return &Route{Method: http.MethodGet, Path: path, Handler: h.serve, For: h.audience}
}

func file(path string, h guarded) *Route {
	r := get(path, h)
	r.File = true
	return r
}

func post(path string, h guarded) *Route {
	return &Route{Method: http.MethodPost, Path: path, Handler: h.serve, For: h.audience}
}

func (r *Route) slow() *Route { r.Slow = true; return r }

func (r *Route) with(example string) *Route { r.Example = example; return r }

// inMenu adds a link to the page, on the page /me for students and on the dashboard for staff.
func (r *Route) inMenu(position int, name, about string) *Route {
	r.menu = &menuEntry{position: position, name: name, about: about}
	return r
}

// inMenuIf hides the link unless shown returns true.
func (r *Route) inMenuIf(shown func() bool) *Route {
	r.menu.shown = shown
	return r
}

// restores adds the form in which people type what this route gets. If the page of the form cannot be
// shown with what is wrong, or if the session has ended meanwhile, the form alone is rendered
// with the submitted values: whatever fails, nothing that was typed is lost.
func (r *Route) restores(form func(typed url.Values) formView) *Route { r.form = form; return r }

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
			leads := get(r.Path, anonymous(http.RedirectHandler(path.Dir(r.Path), http.StatusSeeOther).ServeHTTP))
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

// feature is what one file of pages brings. Templates and translations are found by themselves.
type feature struct {
	routes []*Route
	// flashes are texts at the top of the page that follows a form, by their names in cookies.
	flashes map[string]string
}

// room is a part of the pages, named as the files that begin with its name.
type room struct {
	name     string
	features []feature
}

// Account is the room of accounts and signing in.
const Account = "account"

// add adds what rooms bring. Others add nothing afterwards.
func (p *Pages) add(rooms []room) error {
	p.flashes, p.forms = map[string]string{}, map[string]func(url.Values) formView{}
	for _, room := range rooms {
		for _, f := range room.features {
			for _, r := range f.routes {
				r.Room = room.name
				p.routes = append(p.routes, *r)
				if r.form != nil {
					p.forms[r.Path] = r.form
				}
			}
			for name, text := range f.flashes {
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
