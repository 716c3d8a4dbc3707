package openid

import (
	"strings"

	"github.com/octavo-books/octavo/domain/session"
)

// levels returns the levels that a request names. Names of other providers are ignored: such a wish is
// voluntary (OpenID Connect Core, section 5.5.1.1).
func (r Request) levels() (all []session.Level) {
	for name := range strings.FieldsSeq(r.ACRValues) {
		if l := session.ParseLevel(name); l > 0 {
			all = append(all, l)
		}
	}
	return all
}

// Demands returns the level that a sign-in for a request must reach: the lowest of those that it names, and
// that of the client in any case.
func (c Client) Demands(r Request) (least session.Level) {
	for _, l := range r.levels() {
		if least == 0 || l < least {
			least = l
		}
	}
	return max(least, session.ParseLevel(c.RequireACR))
}

// Context returns what the client is told about a sign-in of a level: of those that it has named the highest
// that was reached; "" if it has named none.
func (r Request) Context(reached session.Level) string {
	var best session.Level
	for _, l := range r.levels() {
		if l <= reached {
			best = max(best, l)
		}
	}
	return best.String()
}
