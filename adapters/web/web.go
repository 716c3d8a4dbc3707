// Package web serves the pages that people see: where Octavo introduces itself,
// where the links in its mails lead, and the development mailbox. The pages are
// made on the server and work without JavaScript.
package web

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpkit"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/courier"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
)

// Catalogue is what the front page shows.
type Catalogue interface {
	List(context.Context, user.Caller, market.Filter, market.Page) ([]market.BookView, market.Cursor, error)
	Search(context.Context, user.Caller, string, market.Filter, market.Page) ([]market.BookView, market.Cursor, error)
}

// Invitations are accepted by those who were invited.
type Invitations interface {
	Accept(ctx context.Context, token string, password *string, from user.Source) (auth.Grant, error)
}

// Unsubscribing ends mails that people can do without.
type Unsubscribing interface {
	Reader(token string) (user.Email, error)
	Do(ctx context.Context, token string) error
}

// Mailbox shows what mails were sent.
type Mailbox interface {
	Mails(ctx context.Context, to user.Email, n int) ([]courier.Mail, error)
}

// Services are what the pages stand on. Pages whose service is nil do not exist.
type Services struct {
	Catalogue     Catalogue
	Invitations   Invitations
	Unsubscribing Unsubscribing
	Mailbox       Mailbox // in development only: it shows codes and links
}

// Options say what else the pages need to know.
type Options struct {
	Cookies httpkit.Cookies
	Log     *slog.Logger
	Links   []Link // what the front page points to besides
}

// Link is a place to go from the front page.
type Link struct{ Path, Name, About string }

// Pages are the pages of one program.
type Pages struct {
	Services
	Options
	templates templates
	assets    map[string]asset
}

// Route is a page's place; no path has a parameter.
type Route struct {
	Method, Path string
	Handler      http.HandlerFunc
}

// New reads all templates; an error is a fault of the program.
func New(s Services, o Options) (*Pages, error) {
	t, err := parse()
	if err != nil {
		return nil, err
	}
	a, err := loadAssets()
	if err != nil {
		return nil, err
	}
	return &Pages{Services: s, Options: o, templates: t, assets: a}, nil
}

// Routes are where the pages are to be put.
func (p *Pages) Routes() []Route {
	routes := []Route{{http.MethodGet, "/", p.front}}
	for path, a := range p.assets {
		routes = append(routes, Route{http.MethodGet, path, a.serve})
	}
	if p.Invitations != nil {
		routes = append(routes, Route{http.MethodGet, "/invitation", p.askInvitation}, Route{http.MethodPost, "/invitation", p.acceptInvitation})
	}
	if p.Unsubscribing != nil {
		routes = append(routes, Route{http.MethodGet, "/unsubscribe", p.askUnsubscribe}, Route{http.MethodPost, "/unsubscribe", p.unsubscribe})
	}
	if p.Mailbox != nil {
		routes = append(routes, Route{http.MethodGet, "/dev/mail", p.mails}, Route{http.MethodGet, "/dev/mail.json", p.mailsJSON},
			Route{http.MethodGet, "/dev/mail.html", p.mailHTML})
	}
	for _, r := range routes {
		if r.Method == http.MethodGet {
			routes = append(routes, Route{http.MethodHead, r.Path, r.Handler})
		}
	}
	return routes
}
