package provider

import (
	"context"
	"errors"
	"slices"

	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
)

// frontChannel returns the pages of applications that the browser must load for a sign-out (OpenID Connect
// Front-Channel Logout): of each application that was signed in to from the caller's session, and of the one
// that asked, for the newest sign-in there.
func (a *Authorizations) frontChannel(ctx context.Context, by user.Caller, l Logout, everywhere bool) (pages []string, err error) {
	newest := map[string]user.SessionID{}
	if by.SignedIn() && everywhere {
		all, err := a.reader.ListSignIns(ctx, by.ID, by.Session)
		if err != nil {
			return nil, err
		}
		for _, one := range all {
			newest[one.Client] = one.Session
		}
	}
	if l.of != 0 {
		newest[l.Client.ID] = l.sid
	}
	for id, sid := range newest {
		client, err := a.reader.FindClient(ctx, id)
		if errors.Is(err, openid.ErrClientNotFound) || err == nil && client.FrontchannelLogoutURI == "" {
			continue
		}
		if err != nil {
			return nil, err
		}
		pages = append(pages, client.FrontchannelLogout(a.Issuer, sid.String()))
	}
	slices.Sort(pages)
	return pages, nil
}
