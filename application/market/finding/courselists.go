package finding

import (
	"context"
	"strconv"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// CourseLists manages the lists of the courses of each term.
type CourseLists struct {
	deps   unit
	reader Reader
}

// newCourseLists returns the use cases of the lists.
func newCourseLists(d unit, reader Reader) *CourseLists { return &CourseLists{d, reader} }

// CourseImport is what became of a file of courses.
type CourseImport struct {
	List     course.List // with the number of its courses and books
	Accepted int         // lines
	Rejected []market.RejectedLine
}

// Import replaces the courses of a university and term by those of a CSV file, of which it leaves
// out the invalid lines. A dry run, and a file without a valid line, change nothing. A file
// that cannot be read as a whole is ErrCSV.
func (l *CourseLists) Import(ctx context.Context, by user.Caller, of course.List, file []byte, dryRun bool) (CourseImport, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return CourseImport{}, err
	}
	of, err := of.Check()
	if err != nil {
		return CourseImport{}, err
	}
	if err := by.MustOversee(of.University); err != nil {
		return CourseImport{}, err
	}
	courses, out, err := readCourses(file)
	if err != nil {
		return CourseImport{}, err
	}
	of.Courses = len(courses)
	for _, c := range courses {
		of.Books += len(c.Books)
	}
	out.List = of
	if dryRun || len(courses) == 0 {
		return out, nil
	}
	err = l.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		of.ID, of.CreatedAt, of.UpdatedAt = course.ListID(t.IDs.Next()), t.Now, t.Now
		for i := range courses {
			courses[i].ID = course.ID(t.IDs.Next())
		}
		t.Audit(by, "courses.imported", of.University, of.Term+", "+strconv.Itoa(of.Courses)+" courses, "+strconv.Itoa(of.Books)+" books")
		return t.SaveCourseList(ctx, of, courses, course.MaxLists)
	})
	return out, err
}

// List lists the lists that the caller oversees, the newest term first.
func (l *CourseLists) List(ctx context.Context, by user.Caller, p market.Page) ([]course.List, market.Cursor, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, "", err
	}
	return market.List(p, func(l course.List) course.ListID { return l.ID }, func(after course.ListID, n int) ([]course.List, error) {
		return l.reader.ListCourseLists(ctx, text.Key(by.Campus()), after, n)
	})
}

// Remove deletes the list of a university and term, and who has chosen its courses.
func (l *CourseLists) Remove(ctx context.Context, by user.Caller, of course.List) error {
	if err := by.MustBe(user.Admin); err != nil {
		return err
	}
	of, err := of.Check()
	if err != nil {
		return err
	}
	if err := by.MustOversee(of.University); err != nil {
		return err
	}
	return l.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		t.Audit(by, "courses.removed", of.University, of.Term)
		return t.DeleteCourseList(ctx, of.University, of.Term)
	})
}
