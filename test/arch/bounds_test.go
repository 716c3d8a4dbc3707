package arch_test

import (
	"reflect"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/external"
	"github.com/octavo-books/octavo/application/auth/factors"
	"github.com/octavo-books/octavo/application/auth/machines"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/application/auth/sessions"
	"github.com/octavo-books/octavo/application/eventrelay"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/pushing"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/application/work"
)

// stores are the ports that read tables.
var stores = []reflect.Type{
	reflect.TypeFor[market.Stores](), reflect.TypeFor[market.Reader](),
	reflect.TypeFor[buying.Store](), reflect.TypeFor[buying.Reader](), reflect.TypeFor[finding.Store](), reflect.TypeFor[finding.Reader](),
	reflect.TypeFor[guarding.Store](), reflect.TypeFor[guarding.Reader](), reflect.TypeFor[pushing.Store](), reflect.TypeFor[pushing.Reader](),
	reflect.TypeFor[selling.Store](), reflect.TypeFor[selling.Reader](), reflect.TypeFor[talking.Store](), reflect.TypeFor[talking.Reader](),
	reflect.TypeFor[auth.Storage](), reflect.TypeFor[auth.Store](), reflect.TypeFor[auth.SessionStore](),
	reflect.TypeFor[account.Store](), reflect.TypeFor[account.Reader](), reflect.TypeFor[external.Store](),
	reflect.TypeFor[factors.Store](), reflect.TypeFor[factors.Reader](), reflect.TypeFor[machines.Store](), reflect.TypeFor[machines.Reader](),
	reflect.TypeFor[provider.Store](), reflect.TypeFor[provider.Reader](), reflect.TypeFor[sessions.Store](), reflect.TypeFor[sessions.Reader](),
	reflect.TypeFor[inbox.Store](), reflect.TypeFor[mailer.Outbox](), reflect.TypeFor[mailer.OptOutStore](), reflect.TypeFor[eventrelay.Outbox](),
	reflect.TypeFor[work.Queue](), reflect.TypeFor[work.Admin](),
}

// few says for methods that take no bound why what they list is short all the same.
var few = map[string]string{
	// What is bounded where it is added.
	"ListCartPrices":       "MaxCart",
	"ListCartItems":        "MaxCart",
	"ListLiveOffers":       "offer.MaxPerBook",
	"ListOffersBy":         "offer.MaxPerBuyer",
	"ListMeetings":         "meeting.MaxProposals of each side",
	"ListTries":            "meeting.TriesPerOrder",
	"ListRatings":          "one of each side of an order",
	"ListOpenRequests":     "book.MaxOpenRequests",
	"LockOpenRequests":     "book.MaxOpenRequests",
	"ListRequestsFilledBy": "those of one buyer, of book.MaxOpenRequests",
	"ListSubscriptions":    "the browsers of one person, at most max of SaveSubscription",
	"ListImportRows":       "the lines of a file, selling.MaxImportLines",
	"LockPhotosOf":         "those of one book",
	"ListSessions":         "MAX_SESSIONS_PER_USER for the browser and for each application",
	"ListDevices":          "of one person, the newest",
	"ListLabels":           "of one person, as a provider names them",
	"ListPersonalTokens":   "of one person",
	"LockPasskeys":         "of one person",
	"ListPasskeys":         "of one person",
	"ListIdentities":       "one of each provider",
	"ListServiceSignIns":   "the sessions of one person at a service",
	"ListSignIns":          "the sign-ins of one session",
	"ListGrants":           "one for each application",
	"ListMachines":         "machine.Max",
	"ListResources":        "machine.Max",
	"ListMachineSessions":  "machine.MaxSessions",
	"ListClients":          "bounded as machine clients are",
	"LockRegistrations":    "the sign-ups of one address that have not expired",
	"CountAttempt":         "the codes of one address that have not expired",
	"DeleteEmailChanges":   "of one person, until they expire",

	// What is bounded by its argument.
	"FindRequestsByKeys": "MatchQuery has a limit",
	"FindSearchesByKeys": "SearchQuery has a limit",
	"ClaimJobs":          "Claim has a limit",
	"ListDeliveries":     "Query has a limit",
	"CommitBatch":        "one for each delivery of the batch",
	"CountDeliveries":    "a step each, between the times of a query",

	// What people set up by hand.
	"LockStaff":           "the admins and owners",
	"ListStaff":           "the admins and owners",
	"LockOwners":          "the owners",
	"ListOpenInvitations": "those that admins have sent and that have not expired",
	"ListReportCampuses":  "universities",
	"DueRules":            "the rules of a file",
	"ListRuleStates":      "the rules of a file",
	"ListTroubledRules":   "the rules of a file",
	"LoadRules":           "the rules of a file",
	"PausedRules":         "the rules of a file",
	"CountJobs":           "the kinds of jobs",

	// What must change or be found at once, however much there is.
	"LockOpenReports":     "one of each reporter of a target",
	"ListAllReportsBy":    "of somebody who is erased",
	"LockBooksForSaleBy":  "of somebody who may not trade any more",
	"ListOpenOrdersOf":    "of somebody who may not trade any more",
	"FindInconsistencies": "none in a sound ledger",
}

// A list without a bound is short in every test, and takes all memory on the first large campus.
func TestEveryListOfAStoreHasABound(t *testing.T) {
	listed := map[string]bool{}
	for _, port := range stores {
		for i := range port.NumMethod() {
			m := port.Method(i)
			if !returnsList(m.Type) || takesBound(m.Type) {
				continue
			}
			if listed[m.Name] = true; few[m.Name] == "" {
				t.Errorf("%s.%s: let it take how many rows it returns at most, or say in few why there are not many", port, m.Name)
			}
		}
	}
	for name := range few {
		if !listed[name] {
			t.Errorf("no store has a list %s without a bound", name)
		}
	}
}

func returnsList(m reflect.Type) bool {
	for out := range m.Outs() {
		if k := out.Kind(); k == reflect.Map || k == reflect.Slice && out.Elem().Kind() != reflect.Uint8 {
			return true
		}
	}
	return false
}

// takesBound reports whether a method takes a number of rows, or of what these are.
func takesBound(m reflect.Type) bool {
	for in := range m.Ins() {
		if k := in.Kind(); in == reflect.TypeFor[int]() || k == reflect.Map || k == reflect.Slice && in.Elem().Kind() != reflect.Uint8 {
			return true
		}
	}
	return false
}
