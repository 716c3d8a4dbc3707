package finding

import (
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// Criteria are a Filter in the form that stores compare.
type Criteria struct {
	ISBN       book.ISBN      // empty: any
	University string         // folded; empty: any
	Course     string         // folded; empty: any
	Condition  book.Condition // 0: any
	MinPrice   *money.Amount  // nil: any
	MaxPrice   *money.Amount  // nil: any
	NotBy      user.ID        // excludes the books of this seller; 0: excludes none

	NotUniversity string // folded; excludes the books of this university; empty: excludes none
}
