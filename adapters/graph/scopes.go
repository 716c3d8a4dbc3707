package graph

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/octavo-books/octavo/adapters/graph/graphgen"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
)

// scopeOf names the scope in which a third-party client may read a field of its user. Clients may
// read no other field.
var scopeOf = map[string]string{
	"__typename": openid.ScopeOpenID, "id": openid.ScopeOpenID,
	"email": openid.ScopeEmail, "verified": openid.ScopeEmail,
	"name": openid.ScopeProfile, "roles": openid.ScopeRoles, "groups": openid.ScopeGroups,
}

// mayRead reports whether the caller may read a field. It looks at the viewer of the user that the
// field belongs to, because operations that need no caller must not authenticate one.
func mayRead(f *graphql.FieldContext) bool {
	if f.Object != "User" || f.Parent == nil {
		return true
	}
	of, ok := f.Parent.Result.(*graphgen.User)
	if !ok || !of.Viewer.Limited() {
		return true
	}
	scope, known := scopeOf[f.Field.Name]
	return known && of.Viewer.MayRead(scope)
}

// hidden is the value of a field that the caller may not read: null where the schema allows it.
func hidden(f *graphql.FieldContext) (any, error) {
	if f.Field.Definition.Type.NonNull {
		return nil, user.ErrForbidden
	}
	return nil, nil
}
