package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/user"
)

type courseTable struct{ table }

type choiceKey struct {
	owner user.ID
	of    course.ID
}

func (t *marketTables) courseList(university, term string) (course.List, bool) {
	for _, l := range t.courseLists {
		if course.Key(l.University) == course.Key(university) && course.Key(l.Term) == course.Key(term) {
			return l, true
		}
	}
	return course.List{}, false
}

func (t courseTable) SaveCourseList(_ context.Context, l course.List, courses []course.Course, limit int) error {
	old, replaces := t.courseList(l.University, l.Term)
	if !replaces && len(t.courseLists) >= limit {
		return course.ErrTooManyLists
	}
	ids := map[string]course.ID{}
	if replaces {
		l.ID, l.CreatedAt = old.ID, old.CreatedAt
		for id, c := range t.courses {
			if c.List == l.ID {
				ids[course.Key(c.Code)] = id
				delete(t.courses, id)
			}
		}
	}
	t.courseLists[l.ID] = l
	courses = slices.SortedFunc(slices.Values(courses), func(a, b course.Course) int { return cmp.Compare(course.Key(a.Code), course.Key(b.Code)) })
	for i, c := range courses {
		if id, known := ids[course.Key(c.Code)]; known {
			c.ID = id
		}
		c.List, c.University, c.Term = l.ID, l.University, l.Term
		t.courses[c.ID] = market.PlacedCourse{Course: c, Place: int64(i + 1)}
	}
	t.dropChoices()
	return nil
}

// dropChoices deletes the choices of courses that do not exist.
func (t courseTable) dropChoices() {
	maps.DeleteFunc(t.choices, func(k choiceKey, _ time.Time) bool {
		_, exists := t.courses[k.of]
		return !exists
	})
}

func (t courseTable) DeleteCourseList(_ context.Context, university, term string) error {
	l, ok := t.courseList(university, term)
	if !ok {
		return course.ErrNoList
	}
	delete(t.courseLists, l.ID)
	maps.DeleteFunc(t.courses, func(_ course.ID, c market.PlacedCourse) bool { return c.List == l.ID })
	t.dropChoices()
	return nil
}

func (t courseTable) LockCourses(_ context.Context, ids ...course.ID) ([]course.Course, error) {
	var all []course.Course
	for _, id := range slices.Sorted(slices.Values(ids)) {
		if c, ok := t.courses[id]; ok {
			all = append(all, c.Course)
		}
	}
	return all, nil
}

func (t courseTable) ReplaceChoices(_ context.Context, owner user.ID, of course.ListID, ids []course.ID, limit int, now time.Time) error {
	others := 0
	for k := range t.choices {
		if k.owner == owner && t.courses[k.of].List != of {
			others++
		}
	}
	if others+len(ids) > limit {
		return course.ErrTooMany
	}
	maps.DeleteFunc(t.choices, func(k choiceKey, _ time.Time) bool {
		return k.owner == owner && t.courses[k.of].List == of && !slices.Contains(ids, k.of)
	})
	for _, id := range ids {
		if k := (choiceKey{owner, id}); t.choices[k].IsZero() {
			t.choices[k] = now
		}
	}
	return nil
}

func (t courseTable) DeleteChoicesOf(_ context.Context, owner user.ID) error {
	maps.DeleteFunc(t.choices, func(k choiceKey, _ time.Time) bool { return k.owner == owner })
	return nil
}

func newestList(a, b course.List) int { return cmp.Compare(b.ID, a.ID) }

// FindCourseList is market.CourseReader.
func (m *Market) FindCourseList(ctx context.Context, university, term string) (course.List, error) {
	found, err := rows(ctx, m, func(t *marketTables) []course.List {
		return pick(t.courseLists, 1, newestList, func(l course.List) bool {
			return course.Key(l.University) == university && (term == "" || course.Key(l.Term) == term)
		})
	})
	if err == nil && len(found) == 0 {
		err = course.ErrNoList
	}
	if err != nil {
		return course.List{}, err
	}
	return found[0], nil
}

// ListCourseLists is market.CourseListReader.
func (m *Market) ListCourseLists(ctx context.Context, university string, before course.ListID, n int) ([]course.List, error) {
	return rows(ctx, m, func(t *marketTables) []course.List {
		return pick(t.courseLists, n, newestList, func(l course.List) bool {
			return (before == 0 || l.ID < before) && (university == "" || course.Key(l.University) == university)
		})
	})
}

// ListCourses is market.CourseReader.
func (m *Market) ListCourses(ctx context.Context, of course.ListID, words []string, after int64, n int) ([]market.PlacedCourse, error) {
	return rows(ctx, m, func(t *marketTables) []market.PlacedCourse {
		return pick(t.courses, n, func(a, b market.PlacedCourse) int { return cmp.Compare(a.Place, b.Place) }, func(c market.PlacedCourse) bool {
			missing := slices.ContainsFunc(words, func(word string) bool {
				return !slices.ContainsFunc(c.Words(), func(w string) bool { return strings.HasPrefix(w, word) })
			})
			return c.List == of && c.Place > after && !missing
		})
	})
}

// ListChosenCourses is market.CourseReader.
func (m *Market) ListChosenCourses(ctx context.Context, owner user.ID, of course.ListID, n int) ([]market.ChosenCourse, error) {
	return rows(ctx, m, func(t *marketTables) []market.ChosenCourse {
		placed := pick(t.courses, n, func(a, b market.PlacedCourse) int {
			return cmp.Or(cmp.Compare(b.List, a.List), cmp.Compare(a.Place, b.Place))
		}, func(c market.PlacedCourse) bool {
			return !t.choices[choiceKey{owner, c.ID}].IsZero() && (of == 0 || c.List == of)
		})
		all := make([]market.ChosenCourse, len(placed))
		for i, c := range placed {
			newer := pick(t.courseLists, 1, newestList, func(l course.List) bool {
				return l.ID > c.List && course.Key(l.University) == course.Key(c.University)
			})
			all[i] = market.ChosenCourse{Course: c.Course, Past: len(newer) > 0, ChosenAt: t.choices[choiceKey{owner, c.ID}]}
		}
		return all
	})
}
