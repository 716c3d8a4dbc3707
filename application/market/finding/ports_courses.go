package finding

import (
	"time"

	"github.com/octavo-books/octavo/domain/course"
)

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
