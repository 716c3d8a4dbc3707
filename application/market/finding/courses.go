package finding

import (
	"context"
	"errors"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Courses lets students find their courses, and the books that these need.
type Courses struct {
	deps    unit
	reader  Reader
	standby market.OnStandby[Courses]
}

// newCourses returns the use cases.
func newCourses(d unit, r Reader) *Courses { return &Courses{deps: d, reader: r} }

// WithStandby lets Terms and Find read from a standby.
func (u *Courses) WithStandby(s market.OnStandby[Courses]) *Courses {
	u.standby = s
	return u
}

// maxCourseCopies is how many copies of a book of a course are counted.
const maxCourseCopies = 20

// maxTerms is how many terms of a university are listed.
const maxTerms = 50

// Term selects a list of courses. An empty University is that of the caller, and an empty Name the
// term of that university that was added last.
type Term struct{ University, Name string }

// list returns the list of a term.
func (u *Courses) list(ctx context.Context, by user.Caller, of Term) (course.List, error) {
	university, err := u.university(ctx, by, of.University)
	if err != nil {
		return course.List{}, err
	}
	term := text.Key(of.Name)
	if of.Name != "" && term == "" || text.Key(university) == "" {
		return course.List{}, course.ErrNoList
	}
	return u.reader.FindCourseList(ctx, text.Key(university), term)
}

func (u *Courses) university(ctx context.Context, by user.Caller, given string) (string, error) {
	if given != "" {
		return given, nil
	}
	s, err := u.reader.FindSeller(ctx, by.ID, 0)
	return s.University, err
}

// Terms lists the lists of a university, the newest first.
func (u *Courses) Terms(ctx context.Context, by user.Caller, university string) ([]course.List, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, err
	}
	return market.ReadFor(ctx, by, u, u.standby, func(ctx context.Context, u *Courses) ([]course.List, error) {
		return u.terms(ctx, by, university)
	})
}

func (u *Courses) terms(ctx context.Context, by user.Caller, university string) ([]course.List, error) {
	university, err := u.university(ctx, by, university)
	if err != nil || text.Key(university) == "" {
		return nil, err
	}
	return u.reader.ListCourseLists(ctx, text.Key(university), 0, maxTerms)
}

// Find lists the courses of a term whose code or title has words that begin with those of the
// text, in the order of their codes. A term without a list has none.
func (u *Courses) Find(ctx context.Context, by user.Caller, of Term, text string, p market.Page) ([]course.Course, market.Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	at, n, err := p.Read()
	if err != nil {
		return nil, "", err
	}
	placed, err := market.ReadFor(ctx, by, u, u.standby, func(ctx context.Context, u *Courses) ([]PlacedCourse, error) {
		return u.find(ctx, by, of, text, at, n+1)
	})
	if err != nil {
		return nil, "", err
	}
	placed, next := market.Cut(placed, n, func(c PlacedCourse) market.Position { return market.Position{ID: c.Place} })
	all := make([]course.Course, len(placed))
	for i, c := range placed {
		all[i] = c.Course
	}
	return all, next, nil
}

// find lists at most n courses after a position.
func (u *Courses) find(ctx context.Context, by user.Caller, of Term, typed string, at market.Position, n int) ([]PlacedCourse, error) {
	list, err := u.list(ctx, by, of)
	if errors.Is(err, course.ErrNoList) {
		return nil, nil
	}
	words := text.Words(typed)
	if err != nil || typed != "" && len(words) == 0 {
		return nil, err
	}
	return u.reader.ListCourses(ctx, list.ID, words[:min(len(words), maxCourseWords)], at.ID, n)
}

// maxCourseWords is how many words of a text are looked for.
const maxCourseWords = 8

// MyCourses are the courses that a person has chosen in a term.
type MyCourses struct {
	List    course.List // zero: the university has none
	Courses []course.Course
	ForSale map[book.ISBN]TitleSummary // copies of their books
}

// Mine returns the courses that the caller has chosen in a term, with the copies for sale.
func (u *Courses) Mine(ctx context.Context, by user.Caller, of Term) (MyCourses, error) {
	if err := by.MustBeStudent(); err != nil {
		return MyCourses{}, err
	}
	list, err := u.list(ctx, by, of)
	if errors.Is(err, course.ErrNoList) {
		return MyCourses{}, nil
	}
	if err != nil {
		return MyCourses{}, err
	}
	out := MyCourses{List: list, ForSale: map[book.ISBN]TitleSummary{}}
	chosen, err := u.reader.ListChosenCourses(ctx, by.ID, list.ID, course.MaxChosen)
	if err != nil {
		return MyCourses{}, err
	}
	var isbns []book.ISBN
	for _, c := range chosen {
		out.Courses = append(out.Courses, c.Course)
		for _, b := range c.Books {
			if b.ISBN != "" && !slices.Contains(isbns, b.ISBN) {
				isbns = append(isbns, b.ISBN)
			}
		}
	}
	if len(isbns) == 0 {
		return out, nil
	}
	found, err := u.reader.SummariseTitles(ctx, isbns, Criteria{NotBy: by.ID}, DefaultOrder, market.Position{}, maxCourseCopies)
	for _, s := range found {
		out.ForSale[s.ISBN] = s
	}
	return out, err
}

// Choose replaces the courses that the caller has chosen in a term. One that the term does not
// have is course.ErrNotFound.
func (u *Courses) Choose(ctx context.Context, by user.Caller, of Term, ids []course.ID) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	ids, err := distinctCourses("courses", ids, 0)
	if err != nil {
		return err
	}
	list, err := u.list(ctx, by, of)
	if err != nil {
		return err
	}
	return u.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		found, err := t.LockCourses(ctx, ids...)
		if err != nil {
			return err
		}
		if len(found) < len(ids) || slices.ContainsFunc(found, func(c course.Course) bool { return c.List != list.ID }) {
			return course.ErrNotFound
		}
		return t.ReplaceChoices(ctx, by.ID, list.ID, ids, course.MaxAllChosen, t.Now)
	})
}

// distinctCourses returns the ids without repetitions. There must be from least to course.MaxChosen.
func distinctCourses(field string, ids []course.ID, least int) ([]course.ID, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	switch {
	case len(ids) < least:
		return nil, course.ErrInvalid.WithField(field, "Choose at least one course.")
	case len(ids) > course.MaxChosen:
		return nil, course.ErrInvalid.WithField(field, "Choose at most 20 courses.")
	}
	return ids, nil
}
