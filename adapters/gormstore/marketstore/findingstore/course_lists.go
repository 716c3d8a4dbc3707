package findingstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/lexicon"
	"github.com/octavo-books/octavo/domain/user"
)

// FindCourseList is finding.Reader.
func (s Reader) FindCourseList(ctx context.Context, university, term string) (course.List, error) {
	query := table.Of[courseListRow](s.DB.Read).Where("university_key = ?", university)
	if term != "" {
		query = query.Where("term_key = ?", term)
	}
	row, err := rawsql.Take[courseListRow](ctx, query.Order("id DESC"), course.ErrNoList)
	return row.list(), err
}

// ListCourseLists is finding.Reader.
func (s Reader) ListCourseLists(ctx context.Context, university string, before course.ListID, n int) ([]course.List, error) {
	query := table.Of[courseListRow](s.DB.Read).Where("id < ?", rawsql.UpperBound(before))
	if university != "" {
		query = query.Where("university_key = ?", university)
	}
	return rawsql.List(ctx, query.Order("id DESC").Limit(n), (*courseListRow).list)
}

// ListCourses is finding.Reader. It reads the list in its order until it has found enough.
// Folded words have no characters that LIKE interprets.
func (s Reader) ListCourses(ctx context.Context, of course.ListID, words []string, after int64, n int) ([]finding.PlacedCourse, error) {
	list, err := rawsql.Take[courseListRow](ctx, table.Of[courseListRow](s.DB.Read).Where("id = ?", of), course.ErrNoList)
	if err != nil {
		return nil, err
	}
	query := table.Of[courseRow](s.DB.Read).Where("list_id = ? AND place > ?", of, after)
	for _, w := range words {
		if simplified := lexicon.Simplified(w); simplified != w {
			query = query.Where("(words LIKE ? OR words LIKE ?)", "% "+w+"%", "% "+simplified+"%")
		} else {
			query = query.Where("words LIKE ?", "% "+w+"%")
		}
	}
	rows, err := query.Order("place").Limit(n).Find(ctx)
	return rawsql.Convert(rows, func(r *courseRow) finding.PlacedCourse {
		return finding.PlacedCourse{Course: r.course(list.list()), Place: r.Place}
	}), err
}

// ListChosenCourseCodes is finding.Reader.
func (s Reader) ListChosenCourseCodes(ctx context.Context, owner user.ID, n int) ([]string, error) {
	return rawsql.Collect(ctx, s.Read.Conn, rawsql.Text[string], `SELECT c.code
		FROM course_choices mine JOIN courses c ON c.id = mine.course_id JOIN course_lists l ON l.id = mine.list_id
		WHERE mine.owner_id = ? AND NOT EXISTS (SELECT 1 FROM course_lists x WHERE x.university_key = l.university_key AND x.id > l.id)
		ORDER BY mine.list_id DESC, c.place LIMIT ?`, int64(owner), n)
}

type chosenRow struct {
	Course           courseRow `gorm:"embedded"`
	University, Term string
	ChosenAt         time.Time `gorm:"serializer:micros"`
	Past             bool
}

// ListChosenCourses is finding.Reader.
func (s Reader) ListChosenCourses(ctx context.Context, owner user.ID, of course.ListID, n int) ([]finding.ChosenCourse, error) {
	one := ""
	args := []any{owner}
	if of != 0 {
		one, args = " AND mine.list_id = ?", append(args, of)
	}
	rows, err := table.Of[chosenRow](s.DB.Read).Raw(`SELECT c.*, l.university, l.term, mine.chosen_at,
			EXISTS (SELECT 1 FROM course_lists x WHERE x.university_key = l.university_key AND x.id > l.id) AS past
		FROM course_choices mine JOIN courses c ON c.id = mine.course_id JOIN course_lists l ON l.id = mine.list_id
		WHERE mine.owner_id = ?`+one+` ORDER BY mine.list_id DESC, c.place LIMIT ?`, append(args, n)...).Find(ctx)
	return rawsql.Convert(rows, func(r *chosenRow) finding.ChosenCourse {
		return finding.ChosenCourse{
			Course: r.Course.course(course.List{University: r.University, Term: r.Term}), Past: r.Past, ChosenAt: r.ChosenAt,
		}
	}), err
}
