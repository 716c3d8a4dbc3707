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
	Roles, Groups               []string // nil without their scopes
}

// DescribeUser is AboutUser, and reads roles and groups if the scopes ask for them.
func (d *Deps) DescribeUser(ctx context.Context, u user.User, scopes string) (UserInfo, error) {
	info := AboutUser(u, scopes)
	var err error
	info.Roles, info.Groups, err = d.Labels(ctx, u.ID, scopes)
	return info, err
}

// Labels returns the roles and groups of a user, each nil without its scope.
func (d *Deps) Labels(ctx context.Context, of user.ID, scopes string) (roles, groups []string, err error) {
	wantsRoles, wantsGroups := openid.HasScope(scopes, openid.ScopeRoles), openid.HasScope(scopes, openid.ScopeGroups)
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
