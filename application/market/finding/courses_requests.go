package finding

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/user"
)

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

// requestSome makes at most requestBatch of the requests in one transaction, and reports whether
// some are missing. It adds to those that were made before.
func (u *Courses) requestSome(
	ctx context.Context, by user.Caller, ids []course.ID, own ownBooks, out *CourseRequests,
) (more bool, err error) {
	var plan requestPlan
	var made []book.Request
	matches := 0
	err = u.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) (err error) {
		if plan, err = t.planRequests(ctx, by.ID, ids, own, out.Made); err != nil {
			return err
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
