package graph

import "github.com/octavo-books/octavo/adapters/graph/graphgen"

// maxCost limits the cost of one operation. A field costs 1, an expensive field more,
// and a list its length times the cost of an item. A hundred users with all their
// sessions just fit.
const maxCost = 20_000

// The weights of the cost.
const (
	costOfLookup    = 5  // one query for each parent
	usualSessions   = 10 // MAX_SESSIONS_PER_USER unless set
	usualInvites    = 50
	usualClients    = 50
	usualPasskeys   = 5
	usualIdentities = 3
	maxPage         = 100 // of users and audit entries
)

// heavy lists the fields that occupy a processor for milliseconds or more, with the
// number of passwords they hash or compare or tokens they verify. limits.heavy limits
// their sum before anything is executed.
var heavy = map[string]int{
	"signUp":           2, // the hash, and the fingerprint by which sign-ups are compared
	"signIn":           1,
	"resetPassword":    1,
	"changePassword":   2, // the current one and the new one
	"acceptInvitation": 1,
	"adminSetPassword": 1,
	"tokenInfo":        1,
	"reauthenticate":   1,
	"completeSignIn":   1, // signs a token, as signIn does
}

func costs() graphgen.ComplexityRoot {
	var c graphgen.ComplexityRoot
	c.Query.Users = func(child int, first *int, _, _ *string) int { return pageSize(first, 20) * child }
	c.Query.AuditLog = func(child int, first *int, _, _ *string) int { return pageSize(first, 50) * child }
	c.Query.Invitations = func(child int) int { return usualInvites * child }
	c.Query.Clients = func(child int) int { return usualClients * child }
	c.Query.Machines = func(child int) int { return usualClients * child }
	c.Query.Resources = func(child int) int { return usualClients * child }
	c.User.Passkeys = func(child int) int { return costOfLookup + usualPasskeys*child }
	c.User.TotpEnabled = func(int) int { return costOfLookup }
	c.User.RecoveryCodesLeft = func(int) int { return costOfLookup }
	c.User.Identities = func(child int) int { return costOfLookup + usualIdentities*child }
	c.User.Sessions = func(child int) int { return costOfLookup + usualSessions*child }
	c.Mutation.AdminDeleteUsers = func(child int, ids []string) int { return child + costOfLookup*len(ids) }
	return c
}

// pageSize returns the greatest length of a page. The use case refuses values out of
// range.
func pageSize(first *int, usual int) int {
	if first == nil {
		return usual
	}
	return min(max(1, *first), maxPage)
}
