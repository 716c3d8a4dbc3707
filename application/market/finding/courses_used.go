package finding

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/user"
)

// maxOwn is how many posts and purchases of a person are compared with books of courses: the
// newest ones.
const maxOwn = 200

// ownBooks are books of the caller: those bought, those for sale, and those ever posted.
type ownBooks struct{ bought, selling, posted course.Set }

func (u *Courses) ownBooks(ctx context.Context, by user.Caller) (ownBooks, error) {
	own := ownBooks{course.Set{}, course.Set{}, course.Set{}}
	posted, err := u.reader.ListBooksPostedBy(ctx, by.ID, 0, maxOwn)
	for _, b := range posted {
		own.posted.Add(b.Course, b.Name, b.ISBN, int64(b.ID))
		if b.Status == book.ForSale {
			own.selling.Add(b.Course, b.Name, b.ISBN, int64(b.ID))
		}
	}
	if err != nil {
		return own, err
	}
	bought, err := u.reader.ListBooksBoughtBy(ctx, by.ID, 0, maxOwn)
	for _, b := range bought {
		own.bought.Add(b.Course, b.Name, b.ISBN, int64(b.ID))
	}
	return own, err
}

// UsedBook is a book that a person may not need any more.
type UsedBook struct {
	Code string
	course.Book
	Term string // of the course that needed it; empty: the person has bought it
}

// maxUsed is how many used books are listed.
const maxUsed = 100

// Used lists the books of the courses that the caller has chosen in past terms, and those that the
// caller has bought and got, without those that the caller has ever listed.
func (u *Courses) Used(ctx context.Context, by user.Caller) ([]UsedBook, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, err
	}
	own, err := u.ownBooks(ctx, by)
	if err != nil {
		return nil, err
	}
	chosen, err := u.reader.ListChosenCourses(ctx, by.ID, 0, course.MaxAllChosen)
	if err != nil {
		return nil, err
	}
	bought, err := u.reader.ListBooksBoughtBy(ctx, by.ID, 0, maxUsed)
	if err != nil {
		return nil, err
	}
	used := usedBooks{listed: own.posted}
	for _, b := range bought {
		if b.Status == book.Delivered {
			used.add(UsedBook{Code: b.Course, Book: course.Book{Name: b.Name, ISBN: b.ISBN, Edition: b.Edition}})
		}
	}
	for _, c := range chosen {
		for _, b := range c.Books {
			if c.Past {
				used.add(UsedBook{Code: c.Code, Book: b, Term: c.Term})
			}
		}
	}
	return used.books, nil
}

type usedBooks struct {
	listed course.Set // by the person, or in books
	books  []UsedBook
}

func (u *usedBooks) add(b UsedBook) {
	if len(u.books) == maxUsed || u.listed.Has(b.Code, b.Name, b.ISBN) {
		return
	}
	u.listed.Add(b.Code, b.Name, b.ISBN, planned)
	u.books = append(u.books, b)
}
