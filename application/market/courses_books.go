package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/user"
)

// maxOwn is how many posts and purchases of a person are compared with books of courses: the
// newest ones.
const maxOwn = 500

// requestBatch is how many books of courses one transaction requests.
const requestBatch = 25

// SkipReason says why a book of a course was not requested.
type SkipReason string

// The reasons.
const (
	SkipRequested SkipReason = "requested" // an open request looks for it
	SkipBought    SkipReason = "bought"
	SkipSelling   SkipReason = "selling" // the caller has one for sale
	SkipLimit     SkipReason = "limit"   // the caller has book.MaxOpenRequests open requests
)

// SkippedBook is a book of a course that was not requested.
type SkippedBook struct {
	Code string
	course.Book
	Why SkipReason
}

// CourseRequests are the requests for the books of courses.
type CourseRequests struct {
	Made    []book.Request
	Matches int // books for sale that match them
	Skipped []SkippedBook
}

// RequestBooks requests the books of courses that the caller has not requested, bought or put on
// sale. Requests follow the rules of Requests.Add, but are not notified. An unknown course is
// course.ErrNotFound. A call that is repeated, also after an error, makes what is missing.
func (u *Courses) RequestBooks(ctx context.Context, by user.Caller, ids []course.ID) (out CourseRequests, err error) {
	if err := by.MustBeStudent(); err != nil {
		return out, err
	}
	ids, err = distinctCourses("courseIds", ids, 1)
	if err != nil {
		return out, err
	}
	own, err := u.ownBooks(ctx, by)
	if err != nil {
		return out, err
	}
	for more := true; more && err == nil; {
		more, err = u.requestSome(ctx, by, ids, own, &out)
	}
	return out, err
}

// ownBooks are the books that the caller has bought or put on sale, with their SkipReason.
type ownBooks struct{ bought, selling, posted course.Set }

func (u *Courses) ownBooks(ctx context.Context, by user.Caller) (ownBooks, error) {
	own := ownBooks{course.Set{}, course.Set{}, course.Set{}}
	posted, err := u.read.Listings.ListBooksPostedBy(ctx, by.ID, 0, maxOwn)
	for _, b := range posted {
		own.posted.Add(b.Course, b.Name, b.ISBN, int64(b.ID))
		if b.Status == book.ForSale {
			own.selling.Add(b.Course, b.Name, b.ISBN, int64(b.ID))
		}
	}
	if err != nil {
		return own, err
	}
	bought, err := u.read.Orders.ListBooksBoughtBy(ctx, by.ID, 0, maxOwn)
	for _, b := range bought {
		own.bought.Add(b.Course, b.Name, b.ISBN, int64(b.ID))
	}
	return own, err
}

// requestSome makes at most requestBatch of the requests in one transaction, and reports whether
// some are missing. It adds to those that were made before.
func (u *Courses) requestSome(ctx context.Context, by user.Caller, ids []course.ID, own ownBooks, out *CourseRequests) (more bool, err error) {
	var plan requestPlan
	var made []book.Request
	matches := 0
	err = u.deps.withTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		open, err := t.Requests.LockOpenRequests(ctx, by.ID)
		if err != nil {
			return err
		}
		courses, err := t.Courses.LockCourses(ctx, ids...)
		if err == nil && len(courses) < len(ids) {
			err = course.ErrNotFound
		}
		if err != nil {
			return err
		}
		plan = newRequestPlan(open, out.Made)
		for _, c := range courses {
			if err := plan.add(c, own, u.deps); err != nil {
				return err
			}
		}
		made, matches, err = t.addRequests(ctx, by.ID, plan.wanted)
		return err
	})
	if err != nil {
		return false, err
	}
	out.Made, out.Matches, out.Skipped = append(out.Made, made...), out.Matches+matches, plan.skipped
	return plan.more, nil
}

// requestPlan says which books to request now.
type requestPlan struct {
	open    course.Set // open requests, and those planned, with their ids
	made    map[int64]bool
	room    int // for further requests
	wanted  []book.RequestDetails
	skipped []SkippedBook
	more    bool // books are left for another transaction
}

func newRequestPlan(open, made []book.Request) requestPlan {
	p := requestPlan{open: course.Set{}, made: map[int64]bool{planned: true}, room: book.MaxOpenRequests - len(open)}
	for _, r := range made {
		p.made[int64(r.ID)] = true
	}
	for _, r := range open {
		p.open.Add(r.Course, r.Name, r.ISBN, int64(r.ID))
	}
	return p
}

// planned stands for the id of a request that is not made yet.
const planned = -1

func (p *requestPlan) add(c course.Course, own ownBooks, d Deps) error {
	for _, b := range c.Books {
		if why := p.skip(c, b, own); why != "" {
			p.skipped = append(p.skipped, SkippedBook{c.Code, b, why})
			continue
		}
		if p.open.Has(c.Code, b.Name, b.ISBN) { // by this call, maybe for another course
			continue
		}
		if p.more = p.more || len(p.wanted) == requestBatch; p.more {
			continue
		}
		draft := book.RequestDraft{Name: b.Name, Course: c.Code, ISBN: string(b.ISBN)}
		if b.Edition != 0 {
			draft.Edition = &b.Edition
		}
		details, err := draft.Check(d.Currency)
		if err != nil {
			return err
		}
		p.open.Add(c.Code, b.Name, b.ISBN, planned)
		p.wanted = append(p.wanted, details)
		p.room--
	}
	return nil
}

func (p *requestPlan) skip(c course.Course, b course.Book, own ownBooks) SkipReason {
	request := p.open.Find(c.Code, b.Name, b.ISBN)
	switch {
	case request != 0 && !p.made[request]:
		return SkipRequested
	case own.bought.Has(c.Code, b.Name, b.ISBN):
		return SkipBought
	case own.selling.Has(c.Code, b.Name, b.ISBN):
		return SkipSelling
	case request == 0 && p.room == 0:
		return SkipLimit
	}
	return ""
}

// UsedBook is a book that a person may not need any more.
type UsedBook struct {
	Code string
	course.Book
	Term string // of the course that needed it; empty: the person has bought it
}

// maxUsed is how many used books are listed.
const maxUsed = 100

// Used lists the books of the courses that the caller has chosen in past terms, and those that the
// caller has bought and got, without those that the caller has ever listed.
func (u *Courses) Used(ctx context.Context, by user.Caller) ([]UsedBook, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, err
	}
	own, err := u.ownBooks(ctx, by)
	if err != nil {
		return nil, err
	}
	chosen, err := u.read.Courses.ListChosenCourses(ctx, by.ID, 0, course.MaxAllChosen)
	if err != nil {
		return nil, err
	}
	bought, err := u.read.Orders.ListBooksBoughtBy(ctx, by.ID, 0, maxUsed)
	if err != nil {
		return nil, err
	}
	used := usedBooks{listed: own.posted}
	for _, b := range bought {
		if b.Status == book.Delivered {
			used.add(UsedBook{Code: b.Course, Book: course.Book{Name: b.Name, ISBN: b.ISBN, Edition: b.Edition}})
		}
	}
	for _, c := range chosen {
		for _, b := range c.Books {
			if c.Past {
				used.add(UsedBook{Code: c.Code, Book: b, Term: c.Term})
			}
		}
	}
	return used.books, nil
}

type usedBooks struct {
	listed course.Set // by the person, or in books
	books  []UsedBook
}

func (u *usedBooks) add(b UsedBook) {
	if len(u.books) == maxUsed || u.listed.Has(b.Code, b.Name, b.ISBN) {
		return
	}
	u.listed.Add(b.Code, b.Name, b.ISBN, planned)
	u.books = append(u.books, b)
}
