package external

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
)

// ProviderClient speaks with the services for external sign-ins. Its errors are
// those of domain/identity, with the cause behind them.
type ProviderClient interface {
	// AuthorizationURL returns where a browser starts a sign-in: identity.ErrUnreachable if
	// the provider does not say.
	AuthorizationURL(ctx context.Context, provider string, r identity.Request) (string, error)
	// RedeemCode verifies the answer to a request and exchanges its code for the provider's
	// claims about the person. The caller has compared the state. An answer that was not
	// made for this request, provider and client is identity.ErrAnswerInvalid; a refusal by
	// the person or the provider is identity.ErrCancelled. What the request asks for anew is sent
	// along, but whether the provider complied shows in Claims.AuthenticatedAt alone.
	RedeemCode(ctx context.Context, provider string, r identity.Request, a identity.Answer) (identity.Claims, error)
}

// LogoutVerifier verifies what services say about the end of sessions there.
type LogoutVerifier interface {
	// VerifyLogout verifies a logout token by the keys of a provider. Any other is
	// identity.ErrLogoutInvalid. The caller remembers which ones were used.
	VerifyLogout(ctx context.Context, provider, token string) (identity.LogoutNotice, error)
}

// Store stores identities. authcontract.Identities tests it.
type Store interface {
	// ListIdentities returns the identities of a user, oldest first.
	ListIdentities(ctx context.Context, of user.ID) ([]identity.Identity, error)
	// FindIdentity returns identity.ErrNotFound if the subject belongs to nobody.
	FindIdentity(ctx context.Context, provider, subject string) (identity.Identity, error)
	// AddIdentity returns identity.ErrTaken if the subject belongs to somebody, also if a
	// concurrent transaction adds it. The transaction must then end.
	AddIdentity(ctx context.Context, i identity.Identity) error
	// MarkIdentityUsed records when a subject has signed in; identity.ErrNotFound if the identity is gone.
	MarkIdentityUsed(ctx context.Context, id identity.ID, now time.Time) error
	// ListServiceSignIns returns the sessions that were begun by a subject at a service, in a session of the
	// service; an empty subject or session is any, but not both.
	ListServiceSignIns(ctx context.Context, service, subject, sid string) ([]auth.ServiceSignIn, error)
	// DeleteIdentity returns identity.ErrNotFound unless the user has it.
	DeleteIdentity(ctx context.Context, of user.ID, id identity.ID) error
	// DeleteIdentitiesSince deletes the identities that a user has linked at this time or
	// later, and returns their number.
	DeleteIdentitiesSince(ctx context.Context, of user.ID, since time.Time) (int, error)
}

// ListIdentities returns the identities of a user, oldest first.
type ListIdentities = func(ctx context.Context, of user.ID) ([]identity.Identity, error)
