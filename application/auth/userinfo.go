package auth

import (
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
