package marketstore

import (
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// bookColumns are those of books b, in the order of bookRow.
const bookColumns = `b.id, b.seller_id, b.buyer_id, b.status, b.name, b.course, b.edition, b.price, b.grade,
	b.available_at, b.comments, b.isbn, b.university, b.created_at, b.listed_at`

// bookRow is what bookColumns are scanned into.
type bookRow struct {
	id, seller, buyer, status, edition, price, grade int64
	availableAt, createdAt, listedAt                 int64
	name, course, comments, isbn, university         string
}

func (r *bookRow) columns(more ...any) []any {
	return append([]any{
		&r.id, &r.seller, &r.buyer, &r.status, &r.name, &r.course, &r.edition, &r.price, &r.grade,
		&r.availableAt, &r.comments, &r.isbn, &r.university, &r.createdAt, &r.listedAt,
	}, more...)
}

func (r *bookRow) book() book.Book {
	return book.Book{
		ID: book.ID(r.id), Seller: user.ID(r.seller), Buyer: user.ID(r.buyer), Status: book.Status(r.status),
		Details: book.Details{
			Name: r.name, Course: r.course, Edition: int(r.edition), Price: money.Cents(r.price), Condition: book.Condition(r.grade),
			Date:     time.UnixMicro(r.availableAt).UTC(), // 0 is a date like any other
			Comments: r.comments, ISBN: book.ISBN(r.isbn),
		},
		University: r.university, CreatedAt: rawsql.Time(r.createdAt), ListedAt: rawsql.Time(r.listedAt),
	}
}

// listedColumns are bookColumns without what all books for sale have in common.
const listedColumns = `b.id, b.seller_id, b.name, b.course, b.edition, b.price, b.grade,
	b.available_at, b.comments, b.isbn, b.university, b.created_at, b.listed_at`

func (r *bookRow) listedColumns(more ...any) []any {
	return append([]any{
		&r.id, &r.seller, &r.name, &r.course, &r.edition, &r.price, &r.grade,
		&r.availableAt, &r.comments, &r.isbn, &r.university, &r.createdAt, &r.listedAt,
	}, more...)
}

func readBook() ([]any, func() book.Book) {
	var r bookRow
	return r.columns(), r.book
}

// insertBook names the columns of bookValues.
const insertBook = `INSERT INTO books (seller_id, buyer_id, status, name, course, edition, price, grade, available_at, comments, isbn,
	university, created_at, listed_at, title_key, course_key, university_key, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const updateBook = `UPDATE books SET seller_id = ?, buyer_id = ?, status = ?, name = ?, course = ?, edition = ?, price = ?, grade = ?,
	available_at = ?, comments = ?, isbn = ?, university = ?, created_at = ?, listed_at = ?, title_key = ?, course_key = ?, university_key = ?
	WHERE id = ? AND status = ?`

// bookValues are all columns, the id last.
func bookValues(b book.Book) []any {
	return []any{
		int64(b.Seller), int64(b.Buyer), int(b.Status), b.Name, b.Course, b.Edition, int64(b.Price), int(b.Condition),
		b.Date.UnixMicro(), b.Comments, string(b.ISBN), b.University, rawsql.Micros(b.CreatedAt), rawsql.Micros(b.ListedAt),
		book.TitleKey(b.Name), book.Key(b.Course), book.Key(b.University), int64(b.ID),
	}
}
