package marketstore_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

// manyPeople talk, report, search and meet. Each statement ends with a source of rows i, which
// the engines write differently.
var manyPeople = []string{
	"INSERT INTO users (id, email, verified, role, lang, epoch, created_at, first_name, name_key, university) SELECT 100000 + i, 'u' || i, 1, 0, 'en', 1, 1, 'Ann', 'ann', 'U' || i % 300 FROM ",
	"INSERT INTO conversations SELECT i, 1 + i % 20000, 1 + i % 500, 1, i % 2, 0, 0, 501 + i, 1, i % 3, 0, 0, i * 2, 1, i FROM ",
	"INSERT INTO messages SELECT i, 1, i * 2, 501 + i, 'Hello', 1, 0 FROM ",
	"INSERT INTO blocks SELECT i, 1 + i % 500, 501 + i, 1 FROM ",
	"INSERT INTO reports SELECT i, 501 + i, 1, 1 + i % 300, 1 + i % 500, 'spam', '', '{}', 0, 1, CASE WHEN i % 50 = 0 THEN '' ELSE 'dismiss' END, '', 0, CASE WHEN i % 50 = 0 THEN 0 ELSE i END, 'U' || i % 300, 0 FROM ",
	"INSERT INTO saved_searches SELECT i, 1 + i % 500, 'topology', '', '', 0, 0, 0, 1, 1, 1, i % 2 FROM ",
	`INSERT INTO orders (id, book_id, name, name_key, course, course_key, waited, buyer_id, seller_id, price, fee, status, reason, created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by, university, university_key)
		SELECT i, i, 'Topology', 'topology', 'MTH 440', 'mth440', 1, 501 + i, 1 + i % 500, 1, 1, CASE WHEN i % 40 = 0 THEN 1 ELSE 3 END, '', 1, 1, 1, 0, 1, 1, 0, 'U' || i % 300, 'u' || i % 300 FROM `,
	"INSERT INTO ratings SELECT i, 501 + i, 1 + i % 500, 1, '', 1 FROM ",
	"INSERT INTO meeting_places SELECT i, 'u' || i % 300, 'U', 'Library', '', '', 1 FROM ",
	"INSERT INTO meetings SELECT i, i, 501 + i, 'U', 'Library', '', '', 1, i % 3, 1, 0 FROM ",
}

var rowsOf = map[string]string{
	"sqlite":   "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n) n",
	"postgres": "generate_series(1, 20000) i",
}

// wholeTable is a step of a plan that reads a table from its beginning to its end. Lists of
// conversations scan the subqueries s, b and h, which have a row for each row of the page.
var wholeTable = regexp.MustCompile(`(?m)^SCAN ([^sbh]|\w{2,})$|Seq Scan on (conversations|messages|blocks|reports|saved_searches|ratings|meetings|meeting_places|orders)`)

func TestTheListsOfPeopleAreReadFromAnIndex(t *testing.T) {
	deep.Only(t, "fills tables with tens of thousands of rows")
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			for _, statement := range manyBooks[engine] {
				run(t, db, statement)
			}
			for _, statement := range manyPeople {
				run(t, db, statement+rowsOf[engine])
			}
			if engine == "postgres" {
				run(t, db, "ANALYZE")
			}
			store := marketstore.New(db, plain{})
			plans := map[string]string{}
			marketstore.WatchReads(store, func(query string, args []any) {
				if plans[query] == "" {
					plans[query] = explain(t, engine, db, query, args...)
				}
			})
			readLists(t, store)
			for query, plan := range plans {
				if strings.HasPrefix(query, "WITH RECURSIVE names") { // it scans the universities that it has found
					continue
				}
				if step := wholeTable.FindString(plan); step != "" {
					t.Errorf("%s in the plan of %s:\n%s", strings.TrimSpace(step), query, plan)
				}
			}
			if len(plans) < 15 {
				t.Errorf("%d queries were seen, want at least 15", len(plans))
			}
		})
	}
}

func readLists(t *testing.T, s *marketstore.Store) {
	t.Helper()
	ctx := t.Context()
	var errs []error
	note := func(_ any, err error) { errs = append(errs, err) }
	note(s.ListConversations(ctx, 7, 9000, 20))
	if _, err := s.FindConversation(ctx, 7); !errors.Is(err, conversation.ErrNotFound) { // its people do not exist
		t.Errorf("a conversation of nobody: %v, want %v", err, conversation.ErrNotFound)
	}
	note(s.FindConversationID(ctx, 8, 508))
	note(s.ListMessages(ctx, 7, 9000, 20))
	note(s.CountUnreadMessages(ctx, 7))
	note(s.ListMessagesFrom(ctx, 507, 9000, 20))
	note(s.ListBlocks(ctx, 7, 9000, 20))
	note(s.HasBlocked(ctx, 7, 507))
	note(s.ListReportedMessages(ctx, 7, time.Now(), 20))
	note(s.ListOpenReports(ctx, "", 0, 20))
	note(s.ListOpenReports(ctx, "U7", 0, 20))
	note(s.ListResolvedReports(ctx, "", market.Position{Key: 9000, ID: 9000}, 20))
	note(s.ListResolvedReports(ctx, "U7", market.Position{Key: 9000, ID: 9000}, 20))
	note(s.ListOpenReportsOn(ctx, report.Target{Kind: report.Book, ID: 7}, 20))
	note(s.ListReportsAbout(ctx, "", 7, 9000, 20))
	note(s.ListReportsAbout(ctx, "U7", 7, 9000, 20))
	note(s.ListReportCampuses(ctx, report.Target{Kind: report.Book, ID: 7}))
	note(s.ListReporting(ctx, 7))
	note(s.ListBooksReportedBy(ctx, 507, 7, 8))
	note(s.ListStaff(ctx))
	note(s.ListReportsBy(ctx, 507, 9000, 20))
	note(s.CountOpenReports(ctx, ""))
	note(s.CountOpenReports(ctx, "U7"))
	note(s.ListSearchesOf(ctx, 7, 9000, 20))
	note(s.ListRatings(ctx, 7))
	note(s.CountRatings(ctx, 7, 20))
	note(s.ListRatingsBy(ctx, 507, 9000, 20))
	note(s.HasUpheldReport(ctx, 7, time.Now()))
	note(s.ListMeetingsBy(ctx, 507, 9000, 20))
	note(s.ListPlacesAt(ctx, "U7", "U8"))
	note(s.ListOrders(ctx, buying.OrderSelection{Campus: "u7"}, 9000, 20))
	note(s.ListOrders(ctx, buying.OrderSelection{Campus: "u7", Status: order.Delivered}, 9000, 20))
	note(s.ListOrderQueue(ctx, buying.ToCheck, "u7", 0, 20))
	note(s.ListOrderQueue(ctx, buying.ToSettle, "u7", 0, 20))
	note(s.CountOrders(ctx, buying.ToCheck, "u7", 20))
	note(s.CountOrders(ctx, buying.ToSettle, "u7", 20))
	note(s.ListBooksByStatus(ctx, book.ForSale, "u1", 9000, 20))
	note(s.ListBooksByStatus(ctx, book.Bought, "u1", 9000, 20))
	note(s.ListMeetingPlaces(ctx, "", 9000, 20))
	note(s.ListMeetingPlaces(ctx, "U7", 9000, 20))
	for _, err := range errs {
		must.Do(t, err)
	}
}
