package auth

import (
	"context"

	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
)

// UserInfo is what a client may know about a user; fields outside its scopes are empty.
type UserInfo struct {
	User                        user.ID
	Email                       user.Email
	Verified                    bool
	Name, GivenName, FamilyName string
	Lang                        user.Lang
	Scopes                      string
}

// AboutUser returns what the scopes allow a client to know.
func AboutUser(u user.User, scopes string) UserInfo {
	info := UserInfo{User: u.ID, Scopes: scopes}
	if openid.HasScope(scopes, openid.ScopeEmail) {
		info.Email, info.Verified = u.Email, u.Verified
	}
	if openid.HasScope(scopes, openid.ScopeProfile) {
		info.Name, info.Lang = u.Name, u.Lang
		if p := u.Profile; p != nil {
			info.GivenName, info.FamilyName = p.FirstName, p.LastName
			if info.Name == "" {
				info.Name = p.FirstName + " " + p.LastName
			}
		}
	}
	return info
}

// MeWithin returns the part of the caller's own account that the scopes of their client allow;
// all other fields are zero. It is the only use case for a limited caller.
func (s *Users) MeWithin(ctx context.Context, by user.Caller) (user.User, error) {
	if !by.MayRead(openid.ScopeOpenID) {
		return user.User{}, user.ErrForbidden
	}
	u, err := s.Storage.FindUser(ctx, by.ID)
	if err != nil {
		return user.User{}, err
	}
	info := AboutUser(u, by.Scopes)
	return user.User{ID: info.User, Email: info.Email, Verified: info.Verified, Name: info.Name}, nil
}
