package marketstore

import (
	"strings"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
)

// plainEntry is a book's terms and marks, for Postgres.
func plainEntry(b book.Book) string {
	marks := plainMarks(market.Criteria{University: book.Key(b.University), Course: book.Key(b.Course), Condition: b.Condition})
	return strings.Join(append(b.Terms(), marks...), " ")
}

// plainMarks are those of a book that just meets the criteria.
func plainMarks(c market.Criteria) []string {
	var marks []string
	if c.Condition != 0 {
		marks = append(marks, gradeMark(c.Condition))
	}
	if c.University != "" {
		marks = append(marks, universityMark(c.University))
	}
	if c.Course != "" {
		marks = append(marks, courseMark(c.Course))
	}
	return marks
}
