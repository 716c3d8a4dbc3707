// Package inspector serves the pages of the webhook inbox: the list of deliveries with a
// chart, one delivery with its payload and attempts, and the forwarding rules. The server
// renders all pages; without JavaScript only the list does not update itself.
//
// Payloads, headers, names of events and answers of targets come from outside and may be
// hostile. The templates escape them, and the content security policy permits nothing
// inline.
package inspector

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/inbox"
)

// Base is the path of the list, and the prefix of all other pages.
const Base = "/webhooks"

// The paths of the pages.
const (
	deliveryPath  = Base + "/deliveries"
	payloadPath   = Base + "/payload"
	redeliverPath = Base + "/redeliver"
	samplePath    = Base + "/sample"
	rulesPath     = Base + "/rules"
	pausePath     = rulesPath + "/pause"
	resumePath    = rulesPath + "/resume"
	signInPath    = Base + "/sign-in"
	signOutPath   = Base + "/sign-out"
	staticPath    = Base + "/static/"
)

// Options configure the pages. All fields but Home, Accent and Send are required.
type Options struct {
	Access  Access
	Sources func() []string // the names of all sources
	Example string          // a command that sends a first delivery
	// The path of the program's other pages; "" if it has none.
	Home string
	// The colour of buttons and links, as #rrggbb; "" for that of all pages.
	Accent string
	Send   func(ctx context.Context, source, event string) (id string, err error) // sends a sample; nil for none
	Secure bool                                                                   // cookies are for https only
	Clock  interface{ Now() time.Time }
	Log    *slog.Logger
}

// Pages serves the pages.
type Pages struct {
	Options
	admin     *inbox.Admin
	templates templates
	assets    map[string]httpx.StaticFile
	mux       *http.ServeMux
}

// New loads the templates and static files. An error means that the program was built
// wrongly.
func New(admin *inbox.Admin, o Options) (*Pages, error) {
	p := &Pages{Options: o, admin: admin}
	var err error
	if p.assets, err = loadAssets(o.Accent); err != nil {
		return nil, err
	}
	if p.templates, err = loadTemplates(p.assets); err != nil {
		return nil, err
	}
	p.mux = http.NewServeMux()
	p.mux.HandleFunc("GET "+Base+"/{$}", redirectTo(Base))
	p.mux.HandleFunc("GET "+staticPath, p.static)
	p.page("GET "+Base, p.list)
	p.page("GET "+deliveryPath+"/{id}", p.delivery)
	p.page("GET "+Base+"/delivery", p.delivery)
	p.page("GET "+payloadPath, p.payload)
	p.page("GET "+rulesPath, p.rules)
	for path, h := range p.forms() {
		p.page("POST "+path, h)
		p.mux.HandleFunc("GET "+path, redirectTo(Base)) // after signing in, or from the browser's history
	}
	if p.Access.token != nil {
		p.mux.HandleFunc("GET "+signInPath, p.showSignIn)
		p.mux.HandleFunc("POST "+signInPath, p.signIn)
	}
	p.mux.HandleFunc("/", p.notFound)
	return p, nil
}

// forms are the paths that forms are sent to.
func (p *Pages) forms() map[string]handler {
	all := map[string]handler{redeliverPath: p.redeliver, pausePath: p.pauseRule, resumePath: p.resumeRule}
	if p.Send != nil {
		all[samplePath] = p.sample
	}
	if p.Access.token != nil {
		all[signOutPath] = p.signOut
	}
	return all
}

// FormPaths returns the paths that accept POST; all others accept GET alone.
func (p *Pages) FormPaths() []string {
	paths := []string{}
	for path := range p.forms() {
		paths = append(paths, path)
	}
	if p.Access.token != nil {
		paths = append(paths, signInPath)
	}
	return paths
}

// ServeHTTP serves one page.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

func redirectTo(path string) http.HandlerFunc {
	return http.RedirectHandler(path, http.StatusSeeOther).ServeHTTP
}

// handler serves a page to a viewer who may see it. An error is shown on a page of its own.
type handler func(w http.ResponseWriter, r *http.Request, v viewer) error

// page registers a page. A form is accepted only from these pages.
func (p *Pages) page(pattern string, h handler) {
	p.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		v, err := p.admit(w, r)
		if err == nil && r.Method == http.MethodPost {
			err = parseForm(w, r)
		}
		if err == nil {
			err = h(w, r, v)
		}
		if err != nil {
			p.WriteError(w, r, err)
		}
	})
}
