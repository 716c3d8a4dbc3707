package graph

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/adapters/graph/graphgen"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Resolver implements the schema with the use cases; each field is one call.
type Resolver struct{ auth *authrooms.Auth }

// toPayloadWithCookies returns a token pair in the response and sets it as cookies.
func toPayloadWithCookies(ctx context.Context, g auth.TokenPair, err error) (*graphgen.AuthPayload, error) {
	if err != nil {
		return nil, err
	}
	browserOf(ctx).setTokens(g)
	return toPayload(g, httpx.ClientInfo(ctx)), nil
}

// signOutCaller returns the caller of signOut. A browser whose access token has expired
// still has its refresh token, and its session must end as well.
func (r *Resolver) signOutCaller(ctx context.Context) (user.Caller, error) {
	by, err := httpx.CallerFrom(ctx)
	if err != nil && !errors.Is(err, user.ErrUnauthenticated) {
		return user.Caller{}, err
	}
	token := browserOf(ctx).refreshToken()
	if err == nil && by.SignedIn() || token == "" {
		return by, nil
	}
	g, err := r.auth.Sessions.Refresh(ctx, token, httpx.ClientInfo(ctx))
	if errors.Is(err, session.ErrInvalid) {
		return by, nil
	}
	return user.Caller{ID: g.User.ID, Session: g.Session.ID, Role: g.User.Role, From: httpx.ClientInfo(ctx)}, err
}

// pageFailure replaces the message of account.ErrBadPage by one with this schema's limits.
func pageFailure(err error) error {
	if errors.Is(err, account.ErrBadPage) {
		return account.ErrBadPage.WithMsg("first must be 1 to 100, after an endCursor of this list, and search at most 254 bytes long.")
	}
	return err
}

// userAs calls a use case that returns an account, as the caller of the request.
func userAs(ctx context.Context, call func(by user.Caller) (user.User, error)) (*graphgen.User, error) {
	by, err := httpx.CallerFrom(ctx)
	if err != nil {
		return nil, err
	}
	u, err := call(by)
	if err != nil {
		return nil, err
	}
	return toUser(u, by), nil
}
