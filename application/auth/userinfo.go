package auth

import (
	"cmp"
	"context"

	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
)

// UserInfo is what a client may know about a user; fields that it is not told are empty.
type UserInfo struct {
	User                        user.ID
	Email                       user.Email
	Verified                    *bool // nil: not told
	Name, GivenName, FamilyName string
	Lang                        user.Lang
	Scopes                      string
	Roles, Groups               []string // nil: not told
}

// DescribeUser is AboutUser, and reads roles and groups if the scopes ask for them.
func (d *Deps) DescribeUser(ctx context.Context, u user.User, scopes string, at openid.Place) (UserInfo, error) {
	info := AboutUser(u, scopes, at)
	var err error
	info.Roles, info.Groups, err = d.Labels(ctx, u.ID, scopes, at)
	return info, err
}

// Labels returns the roles and groups of a user, each nil if the scopes do not ask for it.
func (d *Deps) Labels(ctx context.Context, of user.ID, scopes string, at openid.Place) (roles, groups []string, err error) {
	wantsRoles, wantsGroups := openid.Tells(scopes, at, "roles"), openid.Tells(scopes, at, "groups")
	if !wantsRoles && !wantsGroups {
		return nil, nil, nil
	}
	all, err := d.Storage.ListLabels(ctx, of)
	if err != nil {
		return nil, nil, err
	}
	if wantsRoles {
		roles = user.LabelNames(all, user.RoleLabel)
	}
	if wantsGroups {
		groups = user.LabelNames(all, user.GroupLabel)
	}
	return roles, groups, nil
}

// AboutUser returns what the scopes allow a client to know at a place.
func AboutUser(u user.User, scopes string, at openid.Place) UserInfo {
	info := UserInfo{User: u.ID, Scopes: scopes}
	if openid.Tells(scopes, at, "email_verified") {
		info.Verified = &u.Verified
	}
	name, profile := u.Name, user.Profile{}
	if u.Profile != nil {
		profile = *u.Profile
		name = cmp.Or(name, profile.FirstName+" "+profile.LastName)
	}
	info.Email, info.Lang = told(u.Email, scopes, at, "email"), told(u.Lang, scopes, at, "locale")
	info.Name, info.GivenName = told(name, scopes, at, "name"), told(profile.FirstName, scopes, at, "given_name")
	info.FamilyName = told(profile.LastName, scopes, at, "family_name")
	return info
}

// told returns the value of a claim, or nothing if the client is not told.
func told[T ~string](value T, scopes string, at openid.Place, claim string) T {
	if !openid.Tells(scopes, at, claim) {
		return ""
	}
	return value
}
