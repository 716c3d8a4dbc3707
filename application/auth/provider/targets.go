package provider

import (
	"context"
	"errors"
	"strings"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
)

// ask adds to a request what its client asks for at the resources that it names (RFC 8707). The issuer
// stands for Octavo itself. The errors are openid.ErrInvalidTarget and openid.ErrInvalidScope.
func (a *Authorizations) ask(ctx context.Context, r *openid.Request) error {
	for _, identifier := range r.Targets() {
		if identifier == a.Issuer {
			continue
		}
		found, err := a.reader.FindResourceByIdentifier(ctx, identifier)
		if errors.Is(err, machine.ErrResourceNotFound) {
			return openid.ErrInvalidTarget
		}
		if err == nil {
			err = r.Ask(found.ID, found.Scopes)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// target returns what an access token is for: the resource with an identifier, or the first one of the
// scopes if no identifier is given. Without any, and for the issuer, it is Octavo itself. The error is
// openid.ErrInvalidTarget for a resource that was not granted or is gone.
func (a *Authorizations) target(ctx context.Context, scopes, identifier string) (auth.Target, error) {
	granted := openid.TargetsIn(scopes)
	if identifier == a.Issuer || identifier == "" && len(granted) == 0 {
		return auth.Target{}, nil
	}
	for _, id := range granted {
		found, err := a.reader.FindResource(ctx, id)
		switch {
		case errors.Is(err, machine.ErrResourceNotFound) && identifier != "":
			continue // it may have been added again since
		case errors.Is(err, machine.ErrResourceNotFound):
			return auth.Target{}, openid.ErrInvalidTarget
		case err != nil:
			return auth.Target{}, err
		case identifier == "" || found.Identifier == identifier:
			return auth.Target{Resource: id, Identifier: found.Identifier, Scopes: openid.ScopesAt(scopes, id, found.Scopes)}, nil
		}
	}
	return auth.Target{}, openid.ErrInvalidTarget
}

// Use is what a client does at a resource in the name of a user.
type Use struct {
	Resource string   // its name
	Scopes   []string // may be empty: then the resource learns who the user is
}

// usesIn returns what a list of scopes allows at resources. Those that are gone are left out.
func (u *unit) usesIn(ctx context.Context, scopes string) (all []Use, err error) {
	for _, id := range openid.TargetsIn(scopes) {
		found, err := u.reader.FindResource(ctx, id)
		if errors.Is(err, machine.ErrResourceNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, Use{found.Name, strings.Fields(openid.ScopesAt(scopes, id, found.Scopes))})
	}
	return all, nil
}

// InspectAt describes an access token to the authenticated resource that it is for, and names the client. Any
// other token is reported as inactive.
func (a *Authorizations) InspectAt(
	ctx context.Context, at machine.Resource, token string,
) (info ClientTokenInfo, client string, err error) {
	c, state, err := a.VerifyTargetToken(ctx, token, a.Now())
	if errors.Is(err, user.ErrUnauthenticated) || err == nil && (c.Target.Resource != at.ID || c.Target.Identifier != at.Identifier) {
		return ClientTokenInfo{}, "", nil
	}
	if err != nil {
		return ClientTokenInfo{}, "", err
	}
	info = infoOf(c, state)
	info.Scopes = openid.Common(info.Scopes, at.Scopes)
	return info, c.Client, nil
}

// infoOf describes an active access token.
func infoOf(c auth.Claims, state auth.SessionState) ClientTokenInfo {
	info := ClientTokenInfo{
		Active: true, User: c.User, Session: c.Session, Scopes: openid.OwnScopes(c.Scopes), IssuedAt: c.IssuedAt, ExpiresAt: c.ExpiresAt,
		ACR: state.SignIn.ACR(state.Factors), Methods: state.SignIn.Methods, AuthenticatedAt: state.SignIn.SignedInAt,
	}
	if c.Target.Resource != "" {
		info.Scopes, info.Audience = c.Target.Scopes, c.Target.Identifier
	}
	return info
}
