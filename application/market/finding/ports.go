package finding

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
)

// Store is what one transaction may change of what people look for.
type Store interface {
	// EraseUser deletes what a deleted user looked for: requests with their matches, saved searches with what they
	// have found, and chosen courses.
	EraseUser(ctx context.Context, id user.ID) error

	// AddRequest stores a new request. An owner with max open requests gets
	// book.ErrTooManyRequests.
	AddRequest(ctx context.Context, r book.Request, max int) error
	// UpdateRequest stores the status of a request.
	UpdateRequest(ctx context.Context, r book.Request) error
	// DeleteRequest deletes a request of this owner with its matches;
	// book.ErrRequestNotFound if the owner has no such request.
	DeleteRequest(ctx context.Context, owner user.ID, id book.RequestID) error
	// LockRequests returns the ids of those requests that still exist, and prevents
	// their deletion until the transaction ends.
	LockRequests(ctx context.Context, ids ...book.RequestID) ([]book.RequestID, error)
	// ListOpenRequests lists the open requests of one owner, oldest first, at most
	// book.MaxOpenRequests.
	ListOpenRequests(ctx context.Context, owner user.ID) ([]book.Request, error)
	// LockOpenRequests is ListOpenRequests. Until the transaction ends, others wait before
	// they add requests of this owner.
	LockOpenRequests(ctx context.Context, owner user.ID) ([]book.Request, error)
	// ListRequestsFilledBy lists the requests that the book filled.
	ListRequestsFilledBy(ctx context.Context, id book.ID) ([]book.Request, error)
	// FindRequest loads one request; book.ErrRequestNotFound if there is none.
	FindRequest(ctx context.Context, id book.RequestID) (book.Request, error)
	// CountBooksWith counts for each of the terms, at least one, how many of the newest n books
	// for sale have it.
	CountBooksWith(ctx context.Context, terms []string, n int) ([]int, error)
	// IndexRequest replaces the index entries of a request; without entries no book
	// finds it.
	IndexRequest(ctx context.Context, id book.RequestID, entries []book.IndexEntry) error
	// FindRequestsByKeys scans the index of open requests within the bounds of q. It
	// returns a request once for each of the keys that it is indexed under, unless the
	// entry needs words outside q.Words, ordered by the bytes of the keys, then by id.
	// The cursor is where the scan stopped, zero at the end of the index.
	FindRequestsByKeys(ctx context.Context, q MatchQuery) ([]IndexedRequest, IndexCursor, error)
	// FindBooksByKey lists at most n books for sale with the search key, newest first,
	// with ids below before; 0 means no bound.
	FindBooksByKey(ctx context.Context, key book.SearchKey, before book.ID, n int) ([]book.Book, error)
	// AddMatches stores matches, of which no two are of the same book and request, and reports
	// for each whether it is new. It makes an invalidated match valid again, which does not
	// count as new.
	AddMatches(ctx context.Context, all []book.Match) (isNew []bool, err error)
	// InvalidateMatches makes all matches of the book invalid. It keeps the rows, so that
	// nobody is notified of the same match twice.
	InvalidateMatches(ctx context.Context, id book.ID) error
	// ListInterestedUsers lists at most n users with ids above after, in ascending order,
	// who have the book in their cart or an open request that it matches.
	ListInterestedUsers(ctx context.Context, id book.ID, after user.ID, n int) ([]user.ID, error)

	// AddSearch stores a new search and indexes it under keys. An owner with max searches
	// gets savedsearch.ErrTooMany.
	AddSearch(ctx context.Context, s savedsearch.Search, keys []string, max int) error
	// LockSearches loads and locks searches in the order of their ids. It leaves out unknown
	// ones.
	LockSearches(ctx context.Context, ids ...savedsearch.ID) ([]savedsearch.Search, error)
	// LockSearchesToMail loads and locks at most n searches that have found books since their
	// last mail, which was sent at or before then. It leaves out those that another
	// transaction has locked.
	LockSearchesToMail(ctx context.Context, then time.Time, n int) ([]savedsearch.Search, error)
	// UpdateSearch stores Mail, MailedAt and Unmailed of a locked search.
	UpdateSearch(ctx context.Context, s savedsearch.Search) error
	// DeleteSearch deletes a locked search and what it has found.
	DeleteSearch(ctx context.Context, id savedsearch.ID) error
	// FindSearchesByKeys scans the index within the bounds of q, in the order of the bytes of
	// the keys, then of ids. It leaves out searches of the seller and those whose filters
	// exclude the book; those that it returns may still not fit. The cursor is where the scan
	// stopped, zero at the end of the index.
	FindSearchesByKeys(ctx context.Context, q SearchQuery) ([]savedsearch.ID, SearchCursor, error)
	// AddHit records that a locked search has found a book. It is false if that was recorded
	// before.
	AddHit(ctx context.Context, id savedsearch.ID, found book.ID, now time.Time) (bool, error)
	// ListHits lists those of the last n books that a search has found that are for sale, the
	// last found first.
	ListHits(ctx context.Context, id savedsearch.ID, n int) ([]book.Book, error)
	// DeleteHits deletes at most n records that a search has found the book, and reports
	// whether there may be more.
	DeleteHits(ctx context.Context, found book.ID, n int) (more bool, err error)
	// SaveCourseList stores a list with its courses. It replaces an earlier one of the same
	// university and term, whose id and creation stay, as do the ids of the courses with the same
	// code and who has chosen them. The order of the courses is that of their keys. If there are
	// max other lists, the error is course.ErrTooManyLists.
	SaveCourseList(ctx context.Context, l course.List, courses []course.Course, max int) error
	// DeleteCourseList deletes the list of a university and term with its courses and who has
	// chosen them; course.ErrNoList if there is none.
	DeleteCourseList(ctx context.Context, university, term string) error
	// LockCourses loads courses in the order of their ids, and prevents their deletion until
	// the transaction ends. Unknown ids are left out.
	LockCourses(ctx context.Context, ids ...course.ID) ([]course.Course, error)
	// ReplaceChoices replaces the courses that a person has chosen of one list. If there are more than
	// max of all lists then, the error is course.ErrTooMany.
	ReplaceChoices(ctx context.Context, owner user.ID, of course.ListID, ids []course.ID, max int, now time.Time) error
}

// Reader reads the books for sale, and what people look for.
type Reader interface {
	market.Reader
	// ListBooksForSale lists at most n books for sale after a position. The key of a
	// position is the price if sort orders by price, otherwise 0.
	ListBooksForSale(ctx context.Context, c Criteria, sort Sort, after market.Position, n int) ([]market.BookView, error)
	// ListBooksForSaleByOffset lists at most n books for sale, newest first, after the
	// first offset books.
	ListBooksForSaleByOffset(ctx context.Context, n, offset int) ([]market.BookView, error)
	// FindBooksByCourseOrTitle finds books by the folded course and by the folded title,
	// at most n of each. An empty key finds nothing.
	FindBooksByCourseOrTitle(ctx context.Context, course, title string, c Criteria, n int) ([]book.Candidate, error)
	// FindBooksByWords finds at most n books whose terms include at least one word of
	// every group.
	FindBooksByWords(ctx context.Context, groups [][]string, c Criteria, n int) ([]book.Candidate, error)
	// FindTerms returns those of the words that are terms.
	FindTerms(ctx context.Context, words []string) ([]string, error)
	// FindTermsByPrefix lists at most n terms that begin with prefix, the shortest first,
	// then in byte order. It may consider only the first few thousand.
	FindTermsByPrefix(ctx context.Context, prefix string, n int) ([]string, error)
	// FindTermsBySpelling lists at most n terms that share one of the spellings, see
	// book.Spellings, in byte order. Most of them are not near the word.
	FindTermsBySpelling(ctx context.Context, spellings []string, n int) ([]string, error)
	// ListCoursesFrom lists at most n courses of books for sale whose folded codes begin with a prefix, in
	// the order of these, each as its newest book spells it. It counts their books up to a bound.
	ListCoursesFrom(ctx context.Context, prefix string, n, bound int) ([]Counted, error)
	// ListISBNsFrom lists at most n ISBNs of books for sale that begin with a prefix, in their order. It
	// counts their books up to a bound.
	ListISBNsFrom(ctx context.Context, prefix string, n, bound int) ([]Counted, error)
	// CountBooksByTitle counts the books for sale with each of the folded titles, up to a bound.
	CountBooksByTitle(ctx context.Context, keys []string, bound int) ([]int, error)
	// SummariseTitles summarises the copies for sale of each ISBN that meet the criteria. It
	// considers the newest max copies of each and reports whether there are more. Before says
	// whether one of them is at or before a position of the list in the order of sort. ISBNs
	// without such copies are left out.
	SummariseTitles(ctx context.Context, isbns []book.ISBN, c Criteria, sort Sort, at market.Position, max int) ([]TitleSummary, error)
	// CountBooksForSale counts the books for sale that meet the criteria, up to a bound.
	CountBooksForSale(ctx context.Context, c Criteria, bound int) (int, error)
	// ListCheapestOfCourses lists the n cheapest books for sale of each of some courses, which are keys. It takes neither ISBN nor
	// course from the criteria.
	ListCheapestOfCourses(ctx context.Context, c Criteria, courses []string, n int) ([]market.BookView, error)
	// ListUniversities lists at most n universities with books for sale, in the order of their
	// keys, each as its newest book spells it.
	ListUniversities(ctx context.Context, n int) ([]string, error)
	// ListNewCourses lists the courses of the newest n books for sale at a university, or
	// everywhere if its key is empty, in the order of their keys, one spelling of each.
	ListNewCourses(ctx context.Context, university string, n int) ([]string, error)

	// Requests and their matches, newest first: at most n with ids below before, where 0 means
	// no bound.

	ListRequestsOf(ctx context.Context, owner user.ID, before book.RequestID, n int) ([]book.Request, error)
	// ListWantedISBNs counts the people of each ISBN among the newest open requests with one, and lists at most n of them, those of
	// most people first, then by ISBN.
	ListWantedISBNs(ctx context.Context, newest, n int) ([]WantedISBN, error)
	// ListMatchesOf lists the valid matches of open requests with books that are for
	// sale, by the ids of the matches.
	ListMatchesOf(ctx context.Context, owner user.ID, before int64, n int) ([]market.MatchView, error)

	// Saved searches, newest first: at most n with ids below before, where 0 means no bound.

	ListSearchesOf(ctx context.Context, owner user.ID, before savedsearch.ID, n int) ([]savedsearch.Search, error)
	// FindCourseList loads the list of a university and term or, if term is empty, the list
	// of the university that was created last; course.ErrNoList if there is none.
	FindCourseList(ctx context.Context, university, term string) (course.List, error)
	// ListCourses lists at most n courses of a list, each with its place in the order of the
	// list, which begins with 1. It leaves out those up to a place, and those without a word
	// that begins with each of the folded words.
	ListCourses(ctx context.Context, of course.ListID, words []string, after int64, n int) ([]PlacedCourse, error)
	// ListChosenCourses lists at most n courses that a person has chosen of one list, or of all
	// if it is 0: those of the newest list first, then in the order of their list.
	ListChosenCourses(ctx context.Context, owner user.ID, of course.ListID, n int) ([]ChosenCourse, error)

	// The lists of courses, newest first: at most n with ids below before, where 0 means no bound, of one
	// university, or of all if it is empty.

	ListCourseLists(ctx context.Context, university string, before course.ListID, n int) ([]course.List, error)
	// ListChosenCourseCodes lists the codes of at most n courses that a person has chosen, without those of lists that their
	// university has replaced: those of the newest list first, then in the order of their list.
	ListChosenCourseCodes(ctx context.Context, owner user.ID, n int) ([]string, error)
	// ListPricesPaidBy lists the prices of the last n books that a person has bought and not given back.
	ListPricesPaidBy(ctx context.Context, buyer user.ID, n int) ([]money.Amount, error)
}
