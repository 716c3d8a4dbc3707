// Package web serves the pages that people see: the marketplace for students,
// the dashboard for admins and the tools for owners, where the links in mails
// lead, and the development mailbox. The pages are made on the server and have no
// JavaScript at all.
package web

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/mailer"
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
	Accept(ctx context.Context, token string, password *string, from user.ClientInfo) (auth.TokenPair, error)
}

// Unsubscriber unsubscribes people from mails of optional kinds.
type Unsubscriber interface {
	ReadToken(token string) (user.Email, error)
	Unsubscribe(ctx context.Context, token string) error
}

// Mailbox shows what mails were sent.
type Mailbox interface {
	ListMails(ctx context.Context, to user.Email, n int) ([]mailer.Mail, error)
}

// Market are the use cases behind the pages of the marketplace; all are needed.
type Market struct {
	Gate           httpx.Authenticator
	Accounts       *auth.Accounts
	Sessions       *auth.Sessions
	Passwords      *auth.Passwords
	People         *auth.Users
	Listings       *market.Listings
	Catalogue      *market.Catalogue
	Requests       *market.Requests
	Carts          *market.Carts
	Checkout       *market.Checkout
	Orders         *market.Orders
	Notifications  *market.Notifications
	Statistics     *market.Statistics
	ExpireListings *market.ExpireListings
	Clock          market.Clock
}

// Services are what the pages stand on. Pages whose service is nil do not exist.
type Services struct {
	Market       *Market
	Catalogue    Catalogue
	Invitations  Invitations
	Unsubscriber Unsubscriber
	Mailbox      Mailbox // in development only: it shows codes and links
}

// Options say what else the pages need to know.
type Options struct {
	Cookies httpx.Cookies
	Log     *slog.Logger
	Links   []Link // what the front page points to besides
}

// Link is a place to go from the front page.
type Link struct{ Path, Name, About string }

// Pages are the pages of one program.
type Pages struct {
	Services
	Options
	templates map[user.Lang]templates
	assets    map[string]asset
}

// Route is a page's place; no path has a parameter.
type Route struct {
	Method, Path string
	Handler      http.HandlerFunc
}

// New reads what is served as it is; an error is a fault of the program.
func New(s Services, o Options) (*Pages, error) {
	t := map[user.Lang]templates{}
	for _, lang := range languages {
		t[lang] = templatesIn(lang)
	}
	a, err := loadAssets()
	if err != nil {
		return nil, err
	}
	return &Pages{Services: s, Options: o, templates: t, assets: a}, nil
}
