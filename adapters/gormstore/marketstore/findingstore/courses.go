package findingstore

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm/clause"
)

type courseListRow struct {
	ID                     course.ListID `gorm:"primaryKey;autoIncrement:false"`
	UniversityKey, TermKey string
	University, Term       string
	Courses, Books         int
	CreatedAt              time.Time `gorm:"serializer:micros;autoCreateTime:false"`
	UpdatedAt              time.Time `gorm:"serializer:micros;autoUpdateTime:false"`
}

type courseRow struct {
	ID                   course.ID `gorm:"primaryKey;autoIncrement:false"`
	ListID               course.ListID
	Place                int64
	CodeKey, Code, Title string
	Words                string        // with a space before each
	Books                []course.Book `gorm:"serializer:json;not null"`
}

type choiceRow struct {
	OwnerID  user.ID       `gorm:"primaryKey;autoIncrement:false"`
	ListID   course.ListID `gorm:"primaryKey;autoIncrement:false"`
	CourseID course.ID     `gorm:"primaryKey;autoIncrement:false"`
	ChosenAt time.Time     `gorm:"serializer:micros"`
}

// TableName is part of GORM's interface, here and below.
func (courseListRow) TableName() string { return "course_lists" }
func (courseRow) TableName() string     { return "courses" }
func (choiceRow) TableName() string     { return "course_choices" }

func rowOfCourseList(l course.List) courseListRow {
	return courseListRow{l.ID, text.Key(l.University), text.Key(l.Term), l.University, l.Term, l.Courses, l.Books, l.CreatedAt, l.UpdatedAt}
}

func (r *courseListRow) list() course.List {
	return course.List{
		ID: r.ID, University: r.University, Term: r.Term, Courses: r.Courses, Books: r.Books, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

func (r *courseRow) course(of course.List) course.Course {
	return course.Course{ID: r.ID, List: r.ListID, University: of.University, Term: of.Term, Code: r.Code, Title: r.Title, Books: r.Books}
}

// courses is a part of finding.Store.
type courses struct{ marketrows.Handle }

func (s courses) lockList(ctx context.Context, university, term string) (courseListRow, error) {
	return rawsql.Take[courseListRow](ctx, table.Of[courseListRow](s.Session, rawsql.ForUpdate).
		Where("university_key = ? AND term_key = ?", text.Key(university), text.Key(term)), course.ErrNoList)
}

func (s courses) SaveCourseList(ctx context.Context, l course.List, all []course.Course, limit int) error {
	if err := s.AdvisoryLock(ctx, "course lists"); err != nil { // or two transactions could both add the last one
		return err
	}
	row := rowOfCourseList(l)
	old, err := s.lockList(ctx, l.University, l.Term)
	switch {
	case err == nil:
		row.ID, row.CreatedAt = old.ID, old.CreatedAt
	case !errors.Is(err, course.ErrNoList):
		return err
	default:
		if n, err := table.Of[courseListRow](s.Session).Count(ctx); err != nil || n >= limit {
			return cmp.Or(err, error(course.ErrTooManyLists))
		}
	}
	if err := table.Of[courseListRow](s.Session, clause.OnConflict{UpdateAll: true}).Create(ctx, &row); err != nil {
		return err
	}
	return s.replaceCourses(ctx, row.ID, all)
}

// replaceCourses replaces the courses of a locked list. Those with the same code keep their ids.
func (s courses) replaceCourses(ctx context.Context, of course.ListID, all []course.Course) error {
	old, err := table.Of[courseRow](s.Session).Select("id", "code_key").Where("list_id = ?", of).Find(ctx)
	if err != nil {
		return err
	}
	ids := make(map[string]course.ID, len(old))
	for _, r := range old {
		ids[r.CodeKey] = r.ID
	}
	rows := rawsql.Convert(all, func(c *course.Course) courseRow {
		key := text.Key(c.Code)
		return courseRow{cmp.Or(ids[key], c.ID), of, 0, key, c.Code, c.Title, " " + strings.Join(c.Words(), " "), c.Books}
	})
	slices.SortFunc(rows, func(a, b courseRow) int { return cmp.Compare(a.CodeKey, b.CodeKey) })
	for i := range rows {
		rows[i].Place = int64(i + 1)
	}
	if _, err := table.Of[courseRow](s.Session).Where("list_id = ?", of).Delete(ctx); err != nil {
		return err
	}
	if err := table.Of[courseRow](s.Session).CreateInBatches(ctx, &rows, marketrows.LinesAtOnce); err != nil {
		return err
	}
	_, err = s.Exec(ctx, "DELETE FROM course_choices WHERE list_id = ? AND course_id NOT IN (SELECT id FROM courses WHERE list_id = ?)", int64(of), int64(of))
	return err
}

func (s courses) DeleteCourseList(ctx context.Context, university, term string) error {
	l, err := s.lockList(ctx, university, term)
	if err != nil {
		return err
	}
	_, err = table.Of[choiceRow](s.Session).Where("list_id = ?", l.ID).Delete(ctx)
	if err == nil {
		_, err = table.Of[courseRow](s.Session).Where("list_id = ?", l.ID).Delete(ctx)
	}
	if err == nil {
		_, err = table.Of[courseListRow](s.Session).Where("id = ?", l.ID).Delete(ctx)
	}
	return err
}

// LockCourses locks the lists of the courses, as those who change them do.
func (s courses) LockCourses(ctx context.Context, ids ...course.ID) ([]course.Course, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	lists, err := table.Of[courseListRow](s.Session, rawsql.ForKeyShare).
		Where("id IN (?)", s.Session.Model(courseRow{}).Select("list_id").Where("id IN ?", rawsql.Padded(ids))).Order("id").Find(ctx)
	if err != nil {
		return nil, err
	}
	of := make(map[course.ListID]course.List, len(lists))
	for _, l := range lists {
		of[l.ID] = l.list()
	}
	rows, err := table.Of[courseRow](s.Session).Where("id IN ?", rawsql.Padded(ids)).Order("id").Find(ctx)
	return rawsql.Convert(rows, func(r *courseRow) course.Course { return r.course(of[r.ListID]) }), err
}

func (s courses) ReplaceChoices(ctx context.Context, owner user.ID, of course.ListID, ids []course.ID, limit int, now time.Time) error {
	others := table.Of[choiceRow](s.Session).Where("owner_id = ? AND list_id <> ?", owner, of)
	if err := marketrows.MayAdd(ctx, s.Handle, "courses of "+owner.String(), others, limit-len(ids)+1, course.ErrTooMany); err != nil {
		return err
	}
	dropped := table.Of[choiceRow](s.Session).Where("owner_id = ? AND list_id = ?", owner, of)
	if len(ids) > 0 {
		dropped = dropped.Where("course_id NOT IN ?", ids)
	}
	if _, err := dropped.Delete(ctx); err != nil || len(ids) == 0 {
		return err
	}
	rows := rawsql.Convert(ids, func(id *course.ID) choiceRow { return choiceRow{owner, of, *id, now} })
	return table.Of[choiceRow](s.Session, clause.OnConflict{DoNothing: true}).CreateInBatches(ctx, &rows, len(rows))
}

// deleteChoicesOf deletes all that a person has chosen.
func (s courses) deleteChoicesOf(ctx context.Context, owner user.ID) error {
	_, err := table.Of[choiceRow](s.Session).Where("owner_id = ?", owner).Delete(ctx)
	return err
}
