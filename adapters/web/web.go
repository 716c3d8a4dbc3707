// Package web serves the HTML pages: the marketplace for students, the dashboard for
// admins and owners, the targets of links in mails, and the development mailbox. The
// server renders all pages. Everything but passkeys works without JavaScript.
package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/httpx/theme"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// Discovery lists the books on the home page.
type Discovery interface {
	Browse(ctx context.Context, by user.Caller, text string, f finding.Filter, p market.Page) (finding.TitlePage, error)
	Suggest(ctx context.Context, by user.Caller, f finding.Filter) (finding.Suggestions, error)
	OwnUniversity(ctx context.Context, by user.Caller) (string, error)
}

// Invitations accepts invitations.
type Invitations interface {
	Accept(ctx context.Context, token string, password *string, from user.ClientInfo) (auth.TokenPair, error)
}

// Approvals let the owners of accounts approve clients by mailed links.
type Approvals interface {
	PendingApproval(ctx context.Context, token string) (client string, err error)
	ApproveClient(ctx context.Context, token string, from user.ClientInfo) error
}

// Unsubscriber unsubscribes people from mails of optional kinds.
type Unsubscriber interface {
	ReadToken(token string) (mailer.Stop, error)
	Unsubscribe(ctx context.Context, token string) (mailer.Stop, error)
}

// Mailbox shows what mails were sent.
type Mailbox interface {
	ListMails(ctx context.Context, to user.Email, n int) ([]mailer.Mail, error)
	FindMail(ctx context.Context, id int64) (mailer.Mail, bool, error)
}

// Market holds the use cases behind the pages of the marketplace. All are required.
type Market struct {
	*rooms.Market
	Uploads *httpx.Uploads
	Clock   market.Clock
}

// Services holds the use cases. Pages whose service is nil are not served.
type Services struct {
	Identity       *Identity // required by Market
	Market         *Market
	Work           *work.Board // required by Identity
	Discovery      Discovery
	Invitations    Invitations
	Approvals      Approvals
	Unsubscriber   Unsubscriber
	Deletions      Undoing // of planned deletions of accounts
	EmailChanges   Undoing // of changes of addresses
	ExternalSignIn *ExternalSignIn
	Mailbox        Mailbox // in development only: it shows codes and links
}

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
	Keys     httpx.SurrogateKeys
}

// Link is a link on the home page.
type Link struct{ Path, Name, About string }

// Pages serves all pages of one program.
type Pages struct {
	Services
	Options
	templates map[user.Lang]templates
	assets    assets
	// What the features bring.
	routes  []Route
	flashes map[string]string                          // by their names in cookies
	forms   map[string]func(typed url.Values) formView // by the paths to which they are sent
}

// New loads the static files. An error means that Accent is none that theme.CSS accepts, or that
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
		p.templates[lang] = p.templatesIn(o.formatIn(lang))
	}
	return p, p.addFeatures()
}

// handover says how books change hands; the zero Mode without the marketplace.
func (p *Pages) handover() meeting.Mode {
	if p.Market == nil || p.Market.Meetings == nil {
		return meeting.Desk
	}
	return p.Market.Meetings.Mode()
}

// paysDirectly reports whether buyers pay sellers when they meet.
func (p *Pages) paysDirectly() bool {
	return p.Market != nil && p.Market.Meetings != nil && p.Market.Meetings.Direct()
}
