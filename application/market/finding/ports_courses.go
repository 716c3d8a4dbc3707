package finding

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// CourseStore stores the lists of courses, and what people have chosen of them.
type CourseStore interface {
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
	// DeleteChoicesOf deletes all that a person has chosen.
	DeleteChoicesOf(ctx context.Context, owner user.ID) error
}

// CourseReader reads courses.
type CourseReader interface {
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
}

// PlacedCourse is a course and its place in its list.
type PlacedCourse struct {
	course.Course
	Place int64
}

// ChosenCourse is a course that a person has chosen.
type ChosenCourse struct {
	course.Course
	Past     bool // the university has a newer list
	ChosenAt time.Time
}

// CourseListReader lists the lists, newest first: at most n with ids below before, where 0 means no
// bound, of one university, or of all if it is empty.
type CourseListReader interface {
	ListCourseLists(ctx context.Context, university string, before course.ListID, n int) ([]course.List, error)
}

// OwnBookReader reads the books that a person has posted or bought, newest first.
type OwnBookReader interface {
	ListBooksPostedBy(ctx context.Context, seller user.ID, before book.ID, n int) ([]market.BookView, error)
	ListBooksBoughtBy(ctx context.Context, buyer user.ID, before order.ID, n int) ([]market.BookView, error)
}
