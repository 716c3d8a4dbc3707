package openid

import (
	"slices"
	"strings"
)

// What a client may do at a resource (RFC 8707) stands among its scopes as permissions: the id of the
// resource, a slash and one of the resource's scopes; or nothing after the slash, which says that the client
// may show there who its user is. Every resource has that one first. No scope of Octavo itself has a slash.

const (
	maxTargets  = 5       // resources of one request
	maxAtTarget = 2 << 10 // bytes of the scopes at one of them: a token carries them
)

func permission(resource, scope string) string { return resource + "/" + scope }

// Targets returns the identifiers of the resources that a request names.
func (r Request) Targets() []string { return r.targets }

// Ask adds those scopes of a resource that the client asks for. The error is ErrInvalidScope.
func (r *Request) Ask(resource string, scopes []string) error {
	all := strings.Fields(r.Scopes)
	if slices.Contains(all, permission(resource, "")) { // it was named twice
		return nil
	}
	all = append(all, permission(resource, ""))
	size := 0
	for _, scope := range scopes {
		if slices.Contains(r.asked, scope) {
			all = append(all, permission(resource, scope))
			size += len(scope) + 1
		}
	}
	if size > maxAtTarget {
		return ErrInvalidScope.WithMsg("The scopes at a resource are longer than 2 KB.")
	}
	r.Scopes = strings.Join(all, " ")
	return nil
}

// TargetsIn returns the ids of the resources in a list of scopes, in their order.
func TargetsIn(scopes string) (ids []string) {
	for s := range strings.FieldsSeq(scopes) {
		if id, _, ok := strings.Cut(s, "/"); ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// ScopesAt returns the scopes that a list has at a resource, as far as the resource has them now.
func ScopesAt(scopes, resource string, now []string) string {
	var all []string
	for s := range strings.FieldsSeq(scopes) {
		if id, scope, ok := strings.Cut(s, "/"); ok && id == resource && slices.Contains(now, scope) {
			all = append(all, scope)
		}
	}
	return strings.Join(all, " ")
}

// Common returns those of a list of scopes that a resource has.
func Common(scopes string, now []string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(scopes), func(s string) bool { return !slices.Contains(now, s) }), " ")
}

// OwnScopes returns the scopes of Octavo itself in a list.
func OwnScopes(scopes string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(scopes), func(s string) bool {
		return strings.Contains(s, "/") || isSingleClaim(s)
	}), " ")
}

// PlainScopes returns all scopes of a list as clients ask for them: without the resources that have them, and without
// single claims.
func PlainScopes(scopes string) string {
	var all []string
	for s := range strings.FieldsSeq(scopes) {
		if _, scope, ok := strings.Cut(s, "/"); ok {
			s = scope
		} else if isSingleClaim(s) {
			continue
		}
		if s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return strings.Join(all, " ")
}

// named reports whether a client means a granted scope or permission by a scope that it asks for.
func named(granted, asked string) bool {
	_, scope, ok := strings.Cut(granted, "/")
	return granted == asked && !ok || ok && scope == asked
}
