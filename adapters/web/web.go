// Package web is what all HTML pages share: layout, forms, viewers, languages, menus, caching. The pages of a room are in a
// package of its own below it, and webrooms lists them. They are the marketplace for students, the dashboard for
// admins and owners, the targets of links in mails, and the development mailbox. The
// server renders all pages. Everything but passkeys works without JavaScript.
package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/httpx/theme"
	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// Options holds the other dependencies of the pages.
type Options struct {
	Cookies  httpx.Cookies
	Log      *slog.Logger
	Links    []Link          // further links on the home page
	Service  string          // the name of the service
	Accent   string          // the colour of buttons and links, as #rrggbb; "" for that of theme.css
	BaseURL  string          // BASE_URL, without a slash at its end
	Support  string          // the address for questions; "" for none
	Texts    map[string]Text // by TextNames; a missing one is not served
	Campus   campus.Domains  // of the addresses of students
	Clock    interface{ Now() time.Time }
	Currency money.Currency
	Zone     *time.Location // of the dates on pages; nil: UTC
	Origins  []string       // of other sites to which a sign-in may return: ALLOWED_ORIGINS
	Loopback bool           // it may return to any origin of this machine too, for development
	Keys     httpx.SurrogateKeys
	// DrawQRCode returns a QR code as an SVG image that needs no other file; nil: pages show none.
	DrawQRCode func(text string) (string, error)
	Setup      func() Setup // what the program knows about its surroundings; nil: nothing
}

// Setup is what owners have to set up outside the pages.
type Setup struct {
	SMTP   bool      // mails leave the program
	Backup time.Time // when the last backup was begun; zero: none is known
}

// Link is a link on the home page.
type Link struct{ Path, Name, About string }

// Pages serves all pages of one program.
type Pages struct {
	Services
	Options
	templates map[user.Lang]templates
	assets    assets
	// What the room of accounts does for all pages: it asks viewers who they are before something that needs
	// a proof, and names the application to which a page signs its viewer in.
	AskForProof   Handler
	ApplicationOf func(r *http.Request, page any) string
	// What the features bring.
	routes  []Route
	crawled []string                                   // see Feature.Crawled
	flashes map[string]string                          // by their names in cookies
	forms   map[string]func(typed url.Values) FormView // by the paths to which they are sent
}

// New loads the static files. Add adds the rooms. An error means that Accent is none that theme.CSS accepts, or that
// the program was built wrongly.
func New(s Services, o Options) (*Pages, error) {
	css, err := theme.CSS(o.Accent)
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	a, err := loadAssets(css)
	if err != nil {
		return nil, err
	}
	p := &Pages{Services: s, Options: o, templates: map[user.Lang]templates{}, assets: a}
	for _, lang := range languages {
		p.templates[lang] = p.templatesIn(o.FormatIn(lang))
	}
	return p, nil
}

// Handover says how books change hands; the zero Mode without the marketplace.
func (p *Pages) Handover() meeting.Mode {
	if p.Market == nil || p.Market.Meetings == nil {
		return meeting.Desk
	}
	return p.Market.Meetings.Mode()
}

// PaysDirectly reports whether buyers pay sellers when they meet.
func (p *Pages) PaysDirectly() bool {
	return p.Market != nil && p.Market.Meetings != nil && p.Market.Meetings.Direct()
}
