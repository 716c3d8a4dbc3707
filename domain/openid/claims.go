package openid

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/user"
)

// A claim that a client asks for by itself (OpenID Connect Core, section 5.5) stands among its scopes as the
// place at which it is told, a colon and its name. No scope of Octavo itself has a colon, and those of
// resources stand behind a slash.

// Place is where a client is told claims about a user.
type Place string

// The places, as the parameter claims calls them.
const (
	AtUserInfo Place = "userinfo"
	InIDToken  Place = "id_token"
)

// claimScopes are the claims about a user, with the scopes that ask for them.
var claimScopes = []struct{ claim, scope string }{
	{"email", ScopeEmail}, {"email_verified", ScopeEmail},
	{"name", ScopeProfile}, {"given_name", ScopeProfile}, {"family_name", ScopeProfile}, {"locale", ScopeProfile},
	{"roles", ScopeRoles}, {"groups", ScopeGroups},
}

// Claims returns the names of all claims about a user.
func Claims() (names []string) {
	for _, one := range claimScopes {
		names = append(names, one.claim)
	}
	return names
}

func scopeOf(claim string) string {
	for _, one := range claimScopes {
		if one.claim == claim {
			return one.scope
		}
	}
	return ""
}

func singleClaim(at Place, claim string) string { return string(at) + ":" + claim }

// parseSingleClaim reports whether an entry of a list of scopes is a single claim.
func parseSingleClaim(entry string) (at Place, claim string, ok bool) {
	place, claim, ok := strings.Cut(entry, ":")
	at = Place(place)
	return at, claim, ok && (at == AtUserInfo || at == InIDToken)
}

func isSingleClaim(entry string) bool {
	_, _, ok := parseSingleClaim(entry)
	return ok
}

// Tells reports whether a client with these scopes is told a claim at a place.
func Tells(scopes string, at Place, claim string) bool {
	return HasScope(scopes, scopeOf(claim)) || HasScope(scopes, singleClaim(at, claim))
}

// SingleClaims returns the names of the claims in a list that none of its scopes asks for, each once.
func SingleClaims(scopes string) (names []string) {
	for s := range strings.FieldsSeq(scopes) {
		if _, claim, ok := parseSingleClaim(s); ok && !HasScope(scopes, scopeOf(claim)) && !slices.Contains(names, claim) {
			names = append(names, claim)
		}
	}
	return names
}

// TokenScopes returns what an access token for Octavo itself says of a list: its scopes, and the single claims that it
// gives access to.
func TokenScopes(scopes string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(scopes), func(s string) bool {
		at, _, ok := parseSingleClaim(s)
		return strings.Contains(s, "/") || ok && at != AtUserInfo
	}), " ")
}

// knownSince is a time before every sign-in: one that is after it is one of which it is known when it was.
var knownSince = time.Unix(0, 0).UTC()

// parseClaims adds the claims that a client asks for one by one. What Octavo does not know is ignored, and so are values
// that a claim about a user should have. The errors are ErrInvalidRequest, ErrUnmetRequirements and ErrLoginRequired.
func (r *Request) parseClaims(parameter string) error {
	if parameter == "" {
		return nil
	}
	var all map[string]any
	if json.Unmarshal([]byte(parameter), &all) != nil || all == nil {
		return ErrInvalidRequest.WithMsg("The parameter claims is not a JSON object.")
	}
	entries := strings.Fields(r.Scopes)
	for _, at := range []Place{AtUserInfo, InIDToken} {
		asked, ok := all[string(at)].(map[string]any)
		if !ok && all[string(at)] != nil {
			return ErrInvalidRequest.WithMsg("A member of the parameter claims is not a JSON object.")
		}
		for _, claim := range Claims() {
			if _, ok := asked[claim]; ok && !Tells(r.Scopes, at, claim) {
				entries = append(entries, singleClaim(at, claim))
			}
		}
	}
	r.Scopes = strings.Join(entries, " ")
	inToken, _ := all[string(InIDToken)].(map[string]any)
	return r.demand(inToken)
}

// demand notes what a client demands of the sign-in itself, by claims of the ID token.
func (r *Request) demand(asked map[string]any) error {
	if essential, _ := wishFor(asked["auth_time"]); essential && r.SignedInSince.IsZero() {
		r.SignedInSince = knownSince
	}
	if _, subjects := wishFor(asked["sub"]); len(subjects) > 0 {
		number, ok := id.Parse(subjects[0])
		if !ok {
			return ErrLoginRequired.WithMsg("Nobody has this subject.")
		}
		r.Expected = user.ID(number)
	}
	switch essential, levels := wishFor(asked["acr"]); {
	case len(levels) == 0, !essential && r.ACRValues != "":
	default:
		if r.ACRValues = strings.Join(levels, " "); essential && len(r.levels()) == 0 {
			return ErrUnmetRequirements
		}
	}
	return nil
}

// wishFor reads what a client says about a claim: whether it is essential, and which values it should have.
func wishFor(claim any) (essential bool, values []string) {
	wish, _ := claim.(map[string]any)
	essential, _ = wish["essential"].(bool)
	all, _ := wish["values"].([]any)
	for _, one := range append([]any{wish["value"]}, all...) {
		if value, ok := one.(string); ok && value != "" && !strings.ContainsAny(value, " \t\r\n") {
			values = append(values, value)
		}
	}
	return essential, values
}
