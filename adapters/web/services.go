package web

import (
	"context"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/external"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
)

// ExternalSignIn is what pages need to sign people in at other services.
type ExternalSignIn struct {
	Identities *external.Identities
	Sealer     auth.Sealer // of what a browser keeps but must neither read nor change
	SAML       SAML        // nil without providers that speak it
	Logouts    *external.ServiceLogouts
}

// SAML is what the pages need of providers that speak SAML, besides what they need of all.
type SAML interface {
	// FindServices returns those services of a federation that have all words in a name, a domain or
	// their address, at most as many as the bound, with their names in a language. chosen is false if
	// people have no choice.
	FindServices(ctx context.Context, provider, words, lang string, most int) (found []identity.Service, chosen bool, err error)
	// LogoutURL returns where a browser goes to end the session of a sign-in at its service.
	LogoutURL(ctx context.Context, provider, session string) (string, error)
	// TakeLogout reads a verified message about the end of a session. session is the one of the browser's sign-in.
	TakeLogout(ctx context.Context, provider string, r *http.Request, session string) (identity.Logout, error)
	// LogoutAnswer returns where a browser goes with the answer to a request: whether the session has ended.
	LogoutAnswer(ctx context.Context, provider string, asked identity.Logout, ended bool) (string, error)
	// Metadata returns the description of this site that the operator of a provider needs.
	Metadata(provider string) ([]byte, error)
}

// Discovery lists the books on the home page.
type Discovery interface {
	Browse(ctx context.Context, by user.Caller, text string, f finding.Filter, p market.Page) (finding.TitlePage, error)
	Suggest(ctx context.Context, by user.Caller, f finding.Filter) (finding.Suggestions, error)
	OwnUniversity(ctx context.Context, by user.Caller) (string, error)
}

// AcceptInvitation accepts an invitation and signs the new account in.
type AcceptInvitation func(ctx context.Context, token string, password *string, from user.ClientInfo) (auth.TokenPair, error)

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

// FindDelivery finds the newest webhook delivery with an id; without a source it is that of any. The error is inbox.ErrNotFound or
// inbox.ErrPayloadDamaged.
type FindDelivery func(ctx context.Context, source, id string) (inbox.Delivery, error)

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
	Identity         *Identity // required by Market
	Market           *Market
	Work             *work.Board // required by Identity
	Discovery        Discovery
	AcceptInvitation AcceptInvitation
	Approvals        Approvals
	Unsubscriber     Unsubscriber
	ExternalSignIn   *ExternalSignIn
	Mailbox          Mailbox      // in development only: it shows codes and links
	FindDelivery     FindDelivery // nil without the webhook service
}

// Identity holds the use cases behind the pages about accounts, which do not need the
// marketplace. All are required.
type Identity struct {
	Gate httpx.Authenticator
	*authrooms.Auth
}
