package finding

import (
	"errors"
	"io"
	"strconv"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
)

// MaxCourseLines is how many lines a file of courses may have.
const MaxCourseLines = 10_000

// courseColumns are the columns of a file of courses; those that must be given are true.
var courseColumns = map[string]bool{"course": true, "title": true, "name": true, "isbn": false, "edition": false}

var errManyLines = market.ErrCSV.WithField("file", "Must have at most "+strconv.Itoa(MaxCourseLines)+" lines.")

// readCourses reads the courses of a file, each with the books of all its lines. A line is rejected
// alone, unless there are more than MaxCourseLines.
func readCourses(file []byte) (courses []course.Course, out CourseImport, err error) {
	records, err := market.NewRecords(file, courseColumns)
	if err != nil {
		return nil, out, err
	}
	places := map[string]int{} // of the courses, by their keys
	for {
		line, fields, err := records.Next()
		switch {
		case errors.Is(err, io.EOF):
			return courses, out, nil
		case out.Accepted+len(out.Rejected) == MaxCourseLines:
			return nil, CourseImport{}, errManyLines
		case err != nil:
			out.Rejected = append(out.Rejected, market.RejectedLine{Line: line, Fields: map[string]string{market.RecordField: err.Error()}})
			continue
		}
		courses, err = addCourseLine(courses, places, fields)
		if refusal := fault.As(err); refusal != nil {
			out.Rejected = append(out.Rejected, market.RejectedLine{Line: line, Fields: refusal.Fields})
			continue
		}
		out.Accepted++
	}
}

func addCourseLine(courses []course.Course, places map[string]int, fields map[string]string) ([]course.Course, error) {
	one, err := course.Draft{
		Code: fields["course"], Title: fields["title"], ISBN: fields["isbn"], Name: fields["name"], Edition: fields["edition"],
	}.Check()
	if err != nil {
		return courses, err
	}
	key := text.Key(one.Code)
	if i, known := places[key]; known {
		return courses, courses[i].Add(one)
	}
	places[key] = len(courses)
	return append(courses, one), nil
}
