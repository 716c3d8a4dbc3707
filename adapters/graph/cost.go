package graph

import "github.com/octavo-books/octavo/adapters/graph/graphgen"

// maxCost is what one operation may cost. A field costs 1, what reads or
// computes more costs as much more, and a list counts as often as it is long:
// a hundred users with all their sessions just fit.
const maxCost = 20_000

// What is dearer than a field, in fields.
const (
	costOfLookup  = 5  // a store is asked once for each parent
	usualSessions = 10 // MAX_SESSIONS_PER_USER unless set
	usualInvites  = 50
	maxPage       = 100 // of users and audit entries
)

// heavy are the fields that keep a processor busy for milliseconds or more, with
// how many passwords each hashes or compares, or tokens it verifies. limits bound
// their number before anything is executed.
var heavy = map[string]int{
	"signUp":           2, // the hash, and the mark that tells sign-ups with other passwords apart
	"signIn":           1,
	"resetPassword":    1,
	"changePassword":   2, // the current one and the new one
	"acceptInvitation": 1,
	"adminSetPassword": 1,
	"tokenInfo":        1,
}

func costs() graphgen.ComplexityRoot {
	var c graphgen.ComplexityRoot
	c.Query.Users = func(child int, first *int, _, _ *string) int { return pageSize(first, 20) * child }
	c.Query.AuditLog = func(child int, first *int, _, _ *string) int { return pageSize(first, 50) * child }
	c.Query.Invitations = func(child int) int { return usualInvites * child }
	c.User.Sessions = func(child int) int { return costOfLookup + usualSessions*child }
	c.Mutation.AdminDeleteUsers = func(child int, ids []string) int { return child + costOfLookup*len(ids) }
	return c
}

// pageSize is how long a page can get; the use case refuses what is out of range.
func pageSize(first *int, usual int) int {
	if first == nil {
		return usual
	}
	return min(max(1, *first), maxPage)
}
