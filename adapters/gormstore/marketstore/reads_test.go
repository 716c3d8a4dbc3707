package marketstore_test

import (
	"context"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/offer"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

type queried = marketstore.Store

// store is the person with 10,000 of the newest books, 5,000 sales and 5,000 purchases, and 20,000 reports that were dismissed.
const store = 7

const bookColumns = "INSERT INTO books (id, seller_id, buyer_id, status, name, course, edition, price, condition, available_at, comments, isbn, university, created_at, listed_at, held, title_key, course_key, university_key) "

// salesOfAStore fill the market of manyBooks and manyPeople further. Each statement ends with a source
// of rows i from 1 to 20,000.
var salesOfAStore = []string{
	bookColumns + `SELECT 200000 + i, 1 + i % 100, 501 + i, 3, 'Topology', 'MTH ' || (i % 900), 1, 100, 1 + i % 5, 1, '', i % 3000, 'U', 1, 1, 0, 'topology', 'mth' || (i % 900), 'u' || (i / 7 % 5) FROM `,
	`INSERT INTO orders (id, book_id, name, name_key, course, course_key, waited, buyer_id, seller_id, price, fee, status, reason, created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by, university, university_key)
		SELECT 100000 + i, 200000 + i, 'Algebra', 'algebra', 'MTH 441', 'mth441', 1, CASE WHEN i % 4 = 0 THEN 7 ELSE 501 + i % 19000 END, CASE WHEN i % 4 = 1 THEN 7 ELSE 1 + i % 6 END, 1, 1, CASE WHEN i % 40 < 2 THEN -1 ELSE 3 END, '', 1, 1, 1, 0, 1, 1, 501 + i, 'U1', 'u1' FROM `,
	"INSERT INTO requests (id, owner_id, name, course, isbn, edition, max_price, status, filled_by, created_at) SELECT i, 1 + i % 2000, 'Topology', 'MTH 1', '', 0, 0, 0, 0, 1 FROM ",
	"INSERT INTO matches (id, book_id, request_id, owner_id, reason, holds, created_at) SELECT i, i, i, 1 + i % 2000, 'title', 1, 1 FROM ",
	"INSERT INTO notifications (user_id, id, kind, message, book_id, order_id, created_at) SELECT 1 + i % 40, i, 'welcome', '', 0, 0, 1 FROM ",
	"INSERT INTO ratings SELECT 100000 + i, 501 + i % 15000, 7, i % 2, '', 1 FROM ",
	"INSERT INTO reports SELECT 100000 + i, 501 + i, 1, 1 + i % 300, 7, 'spam', '', '{}', 0, 1, 'dismiss', '', 1, i, 'U1', 0 FROM ",
	"INSERT INTO offers SELECT i, i, CASE WHEN i % 4 = 0 THEN 7 ELSE 501 + i END, CASE WHEN i % 4 = 1 THEN 7 ELSE 8 END, 1, '', CASE WHEN i % 400 < 2 THEN 2 ELSE 5 END, 1, 1, 1 FROM ",
	"INSERT INTO push_subscriptions (id, user_id, session_id, token, endpoint, p256dh, auth, server_key, kinds, created_at, renewed_at) SELECT i, 1 + i % 4000, i, 0, 'e' || i, '', '', '', '', 1, 1 FROM ",
	"INSERT INTO push_quiet_hours SELECT i, 60, 120 FROM ",
	"INSERT INTO report_photos SELECT i, 100000 + i, 501 + i, 1, 9, 9, 1, 1, 0, 0 FROM ",
	"INSERT INTO carts (owner_id, book_id, added_at, price) SELECT 1 + i % 1000, i, 1, 1 FROM ",
}

// reads are the queries of lists and pages, by the method of the store.
var reads = map[string]func(context.Context, *queried) []error{
	"CountBooksForSale": func(ctx context.Context, s *queried) (errs []error) {
		for _, c := range listsOf() {
			errs = append(errs, only(s.CountBooksForSale(ctx, c, 20)))
		}
		return errs
	},
	"CountCartItems": read(func(ctx context.Context, s *queried) error { return only(s.CountCartItems(ctx, 7)) }),
	"CountDeadJobs":  nil, // for commands and metrics, as CountJobs and ListJobs
	"CountJobs":      nil,
	"ListJobs":       nil,
	"CountOpenReports": func(ctx context.Context, s *queried) []error {
		return []error{only(s.CountOpenReports(ctx, "")), only(s.CountOpenReports(ctx, "U7"))}
	},
	"CountOrders": func(ctx context.Context, s *queried) []error {
		return []error{only(s.CountOrders(ctx, buying.ToCheck, "", 20)), only(s.CountOrders(ctx, buying.ToSettle, "", 20)), only(s.CountOrders(ctx, buying.ToHandOver, "", 20)), only(s.CountOrders(ctx, buying.ToCheck, "u7", 20)), only(s.CountOrders(ctx, buying.ToSettle, "u7", 20))}
	},
	"CountRatings":        read(func(ctx context.Context, s *queried) error { return only(s.CountRatings(ctx, store, 100)) }),
	"CountUnread":         read(func(ctx context.Context, s *queried) error { return only(s.CountUnread(ctx, 7)) }),
	"CountUnreadMessages": read(func(ctx context.Context, s *queried) error { return only(s.CountUnreadMessages(ctx, 7)) }),
	"FindBookViews":       read(func(ctx context.Context, s *queried) error { return only(s.FindBookViews(ctx, 200001, 2, 3)) }),
	"FindBooksByCourseOrTitle": read(func(ctx context.Context, s *queried) error {
		return only(s.FindBooksByCourseOrTitle(ctx, "mth7", "topology", finding.Criteria{NotBy: 8}, 20))
	}),
	"FindBooksByWords": read(func(ctx context.Context, s *queried) error {
		return only(s.FindBooksByWords(ctx, [][]string{{"topology"}}, finding.Criteria{NotBy: 8}, 20))
	}),
	"FindConversation":        read(func(ctx context.Context, s *queried) error { _, _ = s.FindConversation(ctx, 7); return nil }), // its people do not exist
	"FindConversationID":      read(func(ctx context.Context, s *queried) error { return only(s.FindConversationID(ctx, 8, 508)) }),
	"FindConversationOfOrder": read(func(ctx context.Context, s *queried) error { _, _ = s.FindConversationOfOrder(ctx, 7); return nil }),
	"FindReportPhoto":         read(func(ctx context.Context, s *queried) error { _, _, _ = s.FindReportPhoto(ctx, 7); return nil }),
	"FindCourseList":          read(func(ctx context.Context, s *queried) error { return only(s.FindCourseList(ctx, "u1", "")) }),
	"FindDesks":               read(func(ctx context.Context, s *queried) error { return only(s.FindDesks(ctx, "U1", "U2")) }),
	"ListFirstRows":           read(func(ctx context.Context, s *queried) error { return only(s.ListFirstRows(ctx, 7, 3)) }),
	"ListImportLines":         read(func(ctx context.Context, s *queried) error { return only(s.ListImportLines(ctx, 7, 10)) }),
	"ListPricesPaidBy":        read(func(ctx context.Context, s *queried) error { return only(s.ListPricesPaidBy(ctx, store, 9)) }),
	"ListRejectedRows":        read(func(ctx context.Context, s *queried) error { return only(s.ListRejectedRows(ctx, 7, 50)) }),
	"FindImport":              read(func(ctx context.Context, s *queried) error { _, _ = s.FindImport(ctx, 7); return nil }),
	"FindInconsistencies":     nil, // of the ledger: it reads everything
	"FindOrderViews":          read(func(ctx context.Context, s *queried) error { return only(s.FindOrderViews(ctx, 7, 8, 9)) }),
	"ListCovers":              read(func(ctx context.Context, s *queried) error { return only(s.ListCovers(ctx, 7, 8)) }),
	"FindPhoto":               read(func(ctx context.Context, s *queried) error { _, _, _ = s.FindPhoto(ctx, 7); return nil }),
	"FindReport":              read(func(ctx context.Context, s *queried) error { _, _ = s.FindReport(ctx, 7); return nil }),
	"FindSeller":              read(func(ctx context.Context, s *queried) error { _, _ = s.FindSeller(ctx, store, 20); return nil }),
	"FindTerms":               read(func(ctx context.Context, s *queried) error { return only(s.FindTerms(ctx, []string{"topology"})) }),
	"ListCoursesFrom":         read(func(ctx context.Context, s *queried) error { return only(s.ListCoursesFrom(ctx, "mth", 8, 100)) }),
	"ListISBNsFrom":           read(func(ctx context.Context, s *queried) error { return only(s.ListISBNsFrom(ctx, "978", 8, 100)) }),
	"CountBooksByTitle": read(func(ctx context.Context, s *queried) error {
		return only(s.CountBooksByTitle(ctx, []string{"topology"}, 100))
	}),
	"FindTermsByPrefix": read(func(ctx context.Context, s *queried) error { return only(s.FindTermsByPrefix(ctx, "topo", 20)) }),
	"FindTermsBySpelling": read(func(ctx context.Context, s *queried) error {
		return only(s.FindTermsBySpelling(ctx, []string{"topo"}, 20))
	}),
	"HasBlocked": read(func(ctx context.Context, s *queried) error { return only(s.HasBlocked(ctx, 7, 508)) }),
	"HasUpheldReport": read(func(ctx context.Context, s *queried) error {
		return only(s.HasUpheldReport(ctx, store, time.UnixMicro(0)))
	}),
	"ListAgreedPrices": read(func(ctx context.Context, s *queried) error {
		return only(s.ListAgreedPrices(ctx, store, time.Now(), 1, 2, 3))
	}),
	"FindQuiet": read(func(ctx context.Context, s *queried) error { return only(s.FindQuiet(ctx, 7)) }),
	"FindRecipient": read(func(ctx context.Context, s *queried) error {
		_, _, err := s.FindRecipient(ctx, 7)
		return err
	}),
	"ListAllSubscriptions": read(func(ctx context.Context, s *queried) error { return only(s.ListAllSubscriptions(ctx, 7, 20)) }),
	"ListSubscriptions":    read(func(ctx context.Context, s *queried) error { return only(s.ListSubscriptions(ctx, 7)) }),
	"ListBlocks":           read(func(ctx context.Context, s *queried) error { return only(s.ListBlocks(ctx, 7, 9000, 20)) }),
	"ListBooksBoughtBy":    read(func(ctx context.Context, s *queried) error { return only(s.ListBooksBoughtBy(ctx, store, 0, 20)) }),
	"ListBooksByStatus": func(ctx context.Context, s *queried) []error {
		return []error{only(s.ListBooksByStatus(ctx, book.ForSale, "", 0, 20)), only(s.ListBooksByStatus(ctx, book.Delivered, "u1", 0, 20)), only(s.ListBooksByStatus(ctx, book.Unlisted, "", 0, 20))}
	},
	"ListBooksForSale": func(ctx context.Context, s *queried) (errs []error) {
		for _, c := range listsOf() {
			for _, sort := range []finding.Sort{finding.Newest, finding.PriceAsc, finding.PriceDesc} {
				errs = append(errs, only(s.ListBooksForSale(ctx, c, sort, market.Position{}, 20)))
			}
		}
		return errs
	},
	"ListBooksForSaleByOffset": read(func(ctx context.Context, s *queried) error {
		return only(s.ListBooksForSaleByOffset(ctx, 20, 20))
	}), // more with the offset
	"ListBooksPostedBy": read(func(ctx context.Context, s *queried) error { return only(s.ListBooksPostedBy(ctx, store, 0, 20)) }),
	"ListBooksSoldBy":   read(func(ctx context.Context, s *queried) error { return only(s.ListBooksSoldBy(ctx, store, 0, 20)) }),
	"ListBooksOfISBN": func(ctx context.Context, s *queried) []error {
		return []error{only(s.ListBooksOfISBN(ctx, "17", "", 20)), only(s.ListBooksOfISBN(ctx, "17", "u1", 20))}
	},
	"ListBooksTitled": func(ctx context.Context, s *queried) []error {
		return []error{only(s.ListBooksTitled(ctx, "topol", "", 20)), only(s.ListBooksTitled(ctx, "topol", "u1", 20))}
	},
	"ListBooksReportedBy": read(func(ctx context.Context, s *queried) error { return only(s.ListBooksReportedBy(ctx, 507, 6, 7, 8)) }),
	"ListCartItems":       read(func(ctx context.Context, s *queried) error { return only(s.ListCartItems(ctx, 7)) }),
	"ListCheapestOfCourses": read(func(ctx context.Context, s *queried) error {
		return only(s.ListCheapestOfCourses(ctx, finding.Criteria{University: "u1", NotBy: 7}, []string{"mth1", "csc2"}, 3))
	}),
	"ListChosenCourseCodes": read(func(ctx context.Context, s *queried) error { return only(s.ListChosenCourseCodes(ctx, 7, 4)) }),
	"ListChosenCourses":     read(func(ctx context.Context, s *queried) error { return only(s.ListChosenCourses(ctx, 7, 0, 20)) }),
	"ListConversations":     read(func(ctx context.Context, s *queried) error { return only(s.ListConversations(ctx, 7, 9000, 20)) }),
	"ListCourseLists":       read(func(ctx context.Context, s *queried) error { return only(s.ListCourseLists(ctx, "u1", 0, 20)) }),
	"ListCourses": read(func(ctx context.Context, s *queried) error {
		return only(s.ListCourses(ctx, 1, []string{"csc"}, 5, 20))
	}),
	"ListDeliveredSales": func(ctx context.Context, s *queried) (errs []error) {
		for _, key := range []selling.SalesKey{{Basis: book.ByISBN, Text: "17"}, {Basis: book.ByCourse, Text: "mth441"}, {Basis: book.ByTitle, Text: "algebra"}} {
			errs = append(errs, only(s.ListDeliveredSales(ctx, key, time.UnixMicro(1), 20)))
		}
		return errs
	},
	"ListDesks":     read(func(ctx context.Context, s *queried) error { return only(s.ListDesks(ctx, 20)) }),
	"ListMatchesOf": read(func(ctx context.Context, s *queried) error { return only(s.ListMatchesOf(ctx, 7, 0, 20)) }),
	"ListMeetingPlaces": func(ctx context.Context, s *queried) []error {
		return []error{only(s.ListMeetingPlaces(ctx, "", 9000, 20)), only(s.ListMeetingPlaces(ctx, "U7", 9000, 20))}
	},
	"ListMeetingsBy":         read(func(ctx context.Context, s *queried) error { return only(s.ListMeetingsBy(ctx, 507, 9000, 20)) }),
	"ListMessages":           read(func(ctx context.Context, s *queried) error { return only(s.ListMessages(ctx, 7, 9000, 20)) }),
	"ListMessagesFrom":       read(func(ctx context.Context, s *queried) error { return only(s.ListMessagesFrom(ctx, 507, 9000, 20)) }),
	"ListNewCourses":         read(func(ctx context.Context, s *queried) error { return only(s.ListNewCourses(ctx, "u1", 20)) }),
	"ListWantedISBNs":        read(func(ctx context.Context, s *queried) error { return only(s.ListWantedISBNs(ctx, 200, 20)) }),
	"ListNotifications":      read(func(ctx context.Context, s *queried) error { return only(s.ListNotifications(ctx, 7, 0, 20)) }),
	"ListNotificationsAfter": read(func(ctx context.Context, s *queried) error { return only(s.ListNotificationsAfter(ctx, 7, 1, 20)) }),
	"ListOffers": func(ctx context.Context, s *queried) (errs []error) {
		accepted, ended := offer.Accepted, offer.Ended
		for _, side := range []order.Side{order.BuyerSide, order.SellerSide, order.EitherSide} {
			for _, state := range []*offer.State{nil, &accepted, &ended} {
				errs = append(errs, only(s.ListOffers(ctx, buying.OfferSelection{Of: store, Side: side, State: state}, 0, 20)))
			}
		}
		return errs
	},
	"ListOrderQueue": func(ctx context.Context, s *queried) []error {
		return []error{only(s.ListOrderQueue(ctx, buying.ToCheck, "u7", 0, 20)), only(s.ListOrderQueue(ctx, buying.ToCheck, "", 0, 20)), only(s.ListOrderQueue(ctx, buying.ToSettle, "", 0, 20)), only(s.ListOrderQueue(ctx, buying.ToHandOver, "", 0, 20))}
	},
	"ListOrders": func(ctx context.Context, s *queried) (errs []error) {
		for _, campus := range []string{"", "u1"} {
			for _, status := range []order.Status{0, order.Placed, order.Delivered, order.Cancelled} {
				errs = append(errs, only(s.ListOrders(ctx, buying.OrderSelection{Campus: campus, Status: status}, 0, 20)))
			}
		}
		errs = append(errs, only(s.ListOrders(ctx, buying.OrderSelection{Text: "algebra"}, 0, 20)), only(s.ListOrders(ctx, buying.OrderSelection{Text: "u19999"}, 0, 20)))
		return errs
	},
	"ListOrdersReported": read(func(ctx context.Context, s *queried) error { return only(s.ListOrdersReported(ctx, 7, 8, 9)) }),
	"ListReportPhotos":   read(func(ctx context.Context, s *queried) error { return only(s.ListReportPhotos(ctx, 100007, 100008)) }),
	"ListOrdersOf": func(ctx context.Context, s *queried) (errs []error) {
		for _, side := range []order.Side{order.BuyerSide, order.SellerSide, order.EitherSide} {
			for _, status := range []order.Status{0, order.Placed, order.Delivered, order.Cancelled} {
				errs = append(errs, only(s.ListOrdersOf(ctx, store, side, status, 0, 20)))
			}
		}
		return errs
	},
	"ListPlacesAt":      read(func(ctx context.Context, s *queried) error { return only(s.ListPlacesAt(ctx, "U7", "U8")) }),
	"ListPostsWithISBN": read(func(ctx context.Context, s *queried) error { return only(s.ListPostsWithISBN(ctx, "17", 20)) }),
	"ListRatings":       read(func(ctx context.Context, s *queried) error { return only(s.ListRatings(ctx, 7)) }),
	"ListRatingsBy":     read(func(ctx context.Context, s *queried) error { return only(s.ListRatingsBy(ctx, 507, 9000, 20)) }),
	"ListReportedMessages": read(func(ctx context.Context, s *queried) error {
		return only(s.ListReportedMessages(ctx, 7, time.Now(), 20))
	}),
	"ListReportCampuses": read(func(ctx context.Context, s *queried) error {
		return only(s.ListReportCampuses(ctx, report.Target{Kind: report.Book, ID: 7}))
	}),
	"ListReports": func(ctx context.Context, s *queried) (errs []error) {
		for state, at := range map[guarding.ReportState]market.Position{guarding.OpenReports: {ID: 1}, guarding.ResolvedReports: {Key: 9000, ID: 9000}} {
			for _, university := range []string{"", "U7"} {
				errs = append(errs, only(s.ListReports(ctx, guarding.ReportSelection{State: state, University: university}, at, 20)))
			}
		}
		for _, of := range []guarding.ReportSelection{
			{State: guarding.OpenReports}, {State: guarding.OpenReports, University: "U7"}, {About: store}, {About: store, University: "U7"},
			{By: 507}, {State: guarding.OpenReports, On: report.Target{Kind: report.Book, ID: 7}},
		} {
			errs = append(errs, only(s.ListReports(ctx, of, market.Position{}, 20)))
		}
		return append(errs, only(s.ListReports(ctx, guarding.ReportSelection{By: 507}, market.Position{ID: 9000}, 20)))
	},
	"ListReporting":      read(func(ctx context.Context, s *queried) error { return only(s.ListReporting(ctx, 7)) }),
	"ListRequestsOf":     read(func(ctx context.Context, s *queried) error { return only(s.ListRequestsOf(ctx, 7, 0, 20)) }),
	"ListSearchesOf":     read(func(ctx context.Context, s *queried) error { return only(s.ListSearchesOf(ctx, 7, 9000, 20)) }),
	"ListStaff":          read(func(ctx context.Context, s *queried) error { return only(s.ListStaff(ctx)) }),
	"ListUniversities":   read(func(ctx context.Context, s *queried) error { return only(s.ListUniversities(ctx, 20)) }),
	"ReadBookHistory":    read(func(ctx context.Context, s *queried) error { return only(s.ReadBookHistory(ctx, 200007, 20)) }),
	"ReadDashboard":      nil, // counts everything, once a minute
	"ReadUserStatistics": read(func(ctx context.Context, s *queried) error { return only(s.ReadUserStatistics(ctx, 8)) }),
	"SummariseTitles": func(ctx context.Context, s *queried) (errs []error) {
		for _, c := range listsOf() {
			errs = append(errs, only(s.SummariseTitles(ctx, []book.ISBN{"17", "18"}, c, finding.PriceAsc, market.Position{Key: 1000, ID: 9000}, 20)))
		}
		return errs
	},
}

func read(do func(context.Context, *queried) error) func(context.Context, *queried) []error {
	return func(ctx context.Context, s *queried) []error { return []error{do(ctx, s)} }
}

func only[T any](_ T, err error) error { return err }

// listsOf are the lists of somebody who does not see their own books, which are not the newest.
func listsOf() []finding.Criteria {
	most := money.Amount(20_00)
	all := []finding.Criteria{{}, {NotUniversity: "u2"}, {ISBN: "17"}, {Course: "mth17"}, {University: "u1"}, {Condition: book.Fair}, {MaxPrice: &most}, {University: "u1", Condition: book.Fair, MaxPrice: &most}}
	for i := range all {
		all[i].NotBy = 8
	}
	return all
}

var reading = regexp.MustCompile("^(List|Find|Count|Has|Read|Summarise)[A-Z]")

// A query that is added to the store is added to reads, too.
func TestEveryQueryOfAListIsMeasured(t *testing.T) {
	of := reflect.TypeFor[*marketstore.Store]()
	for method := range of.Methods() {
		name := method.Name
		if _, ok := reads[name]; !ok && reading.MatchString(name) {
			t.Errorf("reads has no %s", name)
		}
	}
}

// The market has 40,000 books and orders, 10,000 books and orders of one person are the newest.
func fullMarket(t *testing.T, engine string) *gormstore.DB {
	t.Helper()
	db := engines[engine](t, migrations...)
	for _, statement := range manyBooks[engine] {
		run(t, db, statement)
	}
	for _, statement := range append(manyPeople[:len(manyPeople):len(manyPeople)], salesOfAStore...) {
		run(t, db, statement+rowsOf[engine])
	}
	run(t, db, bookColumns+`SELECT 100000 + i, 7, 0, 0, 'Topology', 'MTH ' || (i % 900), 1, 100 + i % 500 * 37, 1 + i % 5, 1, '', i % 3000, 'U', 1, 1, 0, 'topology', 'mth' || (i % 900), 'u' || (i / 7 % 5) FROM `+rowsOf[engine]+" WHERE i <= 10000")
	run(t, db, "INSERT INTO users (id, email, verified, role, lang, epoch, created_at, first_name, name_key, university) SELECT i, 's' || i, 1, 0, 'en', 1, 1, 'Ann', 'ann', 'U' FROM "+rowsOf[engine])
	if engine == "postgres" {
		run(t, db, "VACUUM ANALYZE")
	}
	return db
}

// What a list reads depends on what it shows, not on what the market has.
func TestNoListReadsMoreAsTheMarketGrows(t *testing.T) {
	deep.Only(t, "fills tables with tens of thousands of rows")
	for engine := range engines {
		t.Run(engine, func(t *testing.T) {
			db := fullMarket(t, engine)
			cost, name, seen := meter(t, db), "", map[string]bool{}
			watched := marketstore.WithSmallBounds(marketstore.New(db, plain{}))
			marketstore.BoundHits(watched, 100)
			marketstore.WatchReads(watched, func(query string, args []any) {
				n := cost(query, args)
				if most := mostRead[db.Dialect]; n > most && !seen[name+query] {
					t.Errorf("%s costs %d, want at most %d: %s\n%v\n%s", name, n, most, query, args, explain(t, engine, db, query, args...))
					seen[name+query] = true
				}
			})
			for _, name = range slices.Sorted(maps.Keys(reads)) {
				if reads[name] == nil {
					continue
				}
				for _, err := range reads[name](t.Context(), watched) {
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
			}
		})
	}
}

// mostRead are steps of SQLite's machine, and rows that pass through the plans of Postgres. Reading
// a table of 20,000 rows takes 60,000 steps or more.
var mostRead = map[gormstore.Dialect]int{gormstore.SQLite: 20_000, gormstore.Postgres: 2_000}

func meter(t *testing.T, db *gormstore.DB) func(query string, args []any) int {
	t.Helper()
	if db.Dialect == gormstore.SQLite {
		return database.SQLiteSteps(t, db)
	}
	return database.PostgresRows(t, db)
}

// Reading the row of each book that is skipped would cost ten times as much.
func TestOnesOwnNewestBooksAreSkippedWithinAnIndex(t *testing.T) {
	deep.Only(t, "fills tables with tens of thousands of rows")
	for engine := range engines {
		t.Run(engine, func(t *testing.T) {
			db := fullMarket(t, engine)
			queries := 0
			watched := marketstore.WithSmallBounds(marketstore.New(db, plain{}))
			marketstore.WatchReads(watched, func(query string, args []any) {
				queries++
				if row := rowOfBook.FindString(explain(t, engine, db, query, args...)); row != "" {
					t.Errorf("%s: %s\n%s", row, query, explain(t, engine, db, query, args...))
				}
			})
			for _, c := range listsOf() {
				if c.ISBN != "" || c.Course != "" || c.NotUniversity != "" { // few have one, and pages alone exclude a university
					continue
				}
				c.NotBy = store
				for _, sort := range []finding.Sort{finding.Newest, finding.PriceAsc, finding.PriceDesc} {
					must.Do(t, only(watched.ListBooksForSale(t.Context(), c, sort, market.Position{}, 20)))
				}
			}
			if queries < 15 {
				t.Errorf("%d queries were seen, want at least 15", queries)
			}
		})
	}
}

// rowOfBook is a step that reads books by an index other than their key and, for each, the row.
var rowOfBook = regexp.MustCompile(`SEARCH b USING INDEX \w+|SCAN b\b|(?:Index|Bitmap Heap|Seq) Scan (?:Backward )?(?:using books_[a-oq-z]\w+ )?on books b(?:_\d)? .*`)

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
	"INSERT INTO meeting_places (id, university_key, university, name, directions, hours, updated_at) SELECT i, 'u' || i % 300, 'U', 'Library', '', '', 1 FROM ",
	"INSERT INTO meetings SELECT i, i, 501 + i, 'U', 'Library', '', '', 1, i % 3, 1, 0 FROM ",
}

var rowsOf = map[string]string{
	"sqlite":   "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n) n",
	"postgres": "generate_series(1, 20000) i",
}
