package graph

import (
	"github.com/octavo-books/octavo/adapters/graph/graphgen"
	"github.com/octavo-books/octavo/domain/user"
)

// maxCost is what one operation may cost. A field costs 1, what reads or
// computes more costs as much more, and a list counts as often as it is long:
// a hundred users with all their sessions just fit.
const maxCost = 20_000

// What is dearer than a field, in fields.
const (
	costOfHash    = 150 // a password is hashed; a hundred tries in one mutation just fit
	costOfVerify  = 100 // a signature is checked
	costOfLookup  = 5   // a store is asked once for each parent
	usualSessions = 10  // MAX_SESSIONS_PER_USER unless set
	usualInvites  = 50
	maxPage       = 100 // of users and audit entries
)

func costs() graphgen.ComplexityRoot {
	var c graphgen.ComplexityRoot
	c.Query.Users = func(child int, first *int, _, _ *string) int { return pageSize(first, 20) * child }
	c.Query.AuditLog = func(child int, first *int, _, _ *string) int { return pageSize(first, 50) * child }
	c.Query.Invitations = func(child int) int { return usualInvites * child }
	c.Query.TokenInfo = func(child int, _ string) int { return costOfVerify + child }
	c.User.Sessions = func(child int) int { return costOfLookup + usualSessions*child }
	c.Mutation.AdminDeleteUsers = func(child int, ids []string) int { return child + costOfLookup*len(ids) }

	c.Mutation.SignUp = func(child int, _, _ string, _ *user.Lang) int { return 2*costOfHash + child }
	c.Mutation.SignIn = func(child int, _, _ string, _ *bool) int { return costOfHash + child }
	c.Mutation.ResetPassword = func(child int, _, _, _ string) int { return costOfHash + child }
	c.Mutation.ChangePassword = func(child int, _, _ string) int { return costOfHash + child }
	c.Mutation.AcceptInvitation = func(child int, _ string, _ *string) int { return costOfHash + child }
	c.Mutation.AdminSetPassword = func(child int, _, _ string) int { return costOfHash + child }
	return c
}

// pageSize is how long a page can get; the use case refuses what is out of range.
func pageSize(first *int, usual int) int {
	if first == nil {
		return usual
	}
	return min(max(1, *first), maxPage)
}
