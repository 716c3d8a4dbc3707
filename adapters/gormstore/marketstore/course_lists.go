package marketstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/user"
)

// FindCourseList is market.CourseReader.
func (s *Store) FindCourseList(ctx context.Context, university, term string) (course.List, error) {
	query := table.Of[courseListRow](s.db.Read).Where("university_key = ?", university)
	if term != "" {
		query = query.Where("term_key = ?", term)
	}
	row, err := rawsql.Take[courseListRow](ctx, query.Order("id DESC"), course.ErrNoList)
	return row.list(), err
}

// ListCourseLists is market.CourseListReader.
func (s *Store) ListCourseLists(ctx context.Context, university string, before course.ListID, n int) ([]course.List, error) {
	query := table.Of[courseListRow](s.db.Read).Where("id < ?", rawsql.UpperBound(before))
	if university != "" {
		query = query.Where("university_key = ?", university)
	}
	rows, err := query.Order("id DESC").Limit(n).Find(ctx)
	return rawsql.Convert(rows, (*courseListRow).list), err
}

// ListCourses is market.CourseReader. It reads the list in its order until it has found enough.
// Folded words have no characters that LIKE interprets.
func (s *Store) ListCourses(ctx context.Context, of course.ListID, words []string, after int64, n int) ([]market.PlacedCourse, error) {
	list, err := rawsql.Take[courseListRow](ctx, table.Of[courseListRow](s.db.Read).Where("id = ?", of), course.ErrNoList)
	if err != nil {
		return nil, err
	}
	query := table.Of[courseRow](s.db.Read).Where("list_id = ? AND place > ?", of, after)
	for _, w := range words {
		query = query.Where("words LIKE ?", "% "+w+"%")
	}
	rows, err := query.Order("place").Limit(n).Find(ctx)
	return rawsql.Convert(rows, func(r *courseRow) market.PlacedCourse {
		return market.PlacedCourse{Course: r.course(list.list()), Place: r.Place}
	}), err
}

type chosenRow struct {
	Course           courseRow `gorm:"embedded"`
	University, Term string
	ChosenAt         time.Time `gorm:"serializer:micros"`
	Past             bool
}

// ListChosenCourses is market.CourseReader.
func (s *Store) ListChosenCourses(ctx context.Context, owner user.ID, of course.ListID, n int) ([]market.ChosenCourse, error) {
	one := ""
	args := []any{owner}
	if of != 0 {
		one, args = " AND mine.list_id = ?", append(args, of)
	}
	rows, err := table.Of[chosenRow](s.db.Read).Raw(`SELECT c.*, l.university, l.term, mine.chosen_at,
			EXISTS (SELECT 1 FROM course_lists x WHERE x.university_key = l.university_key AND x.id > l.id) AS past
		FROM course_choices mine JOIN courses c ON c.id = mine.course_id JOIN course_lists l ON l.id = mine.list_id
		WHERE mine.owner_id = ?`+one+` ORDER BY mine.list_id DESC, c.place LIMIT ?`, append(args, n)...).Find(ctx)
	return rawsql.Convert(rows, func(r *chosenRow) market.ChosenCourse {
		return market.ChosenCourse{
			Course: r.Course.course(course.List{University: r.University, Term: r.Term}), Past: r.Past, ChosenAt: r.ChosenAt,
		}
	}), err
}

var (
	_ market.CourseReader     = (*Store)(nil)
	_ market.CourseListReader = (*Store)(nil)
)
