package marketstore

import (
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/book"
)

// bookColumns are those of books b, in the order of bookRow.
const bookColumns = `b.id, b.seller_id, b.buyer_id, b.status, b.name, b.course, b.edition, b.price, b.grade,
	b.available_at, b.comments, b.isbn, b.university, b.created_at, b.listed_at`

// bookRow scans bookColumns.
type bookRow struct {
	book.Book
	availableAt, createdAt, listedAt int64
}

func (r *bookRow) fields() []any {
	b := &r.Book
	return []any{
		&b.ID, &b.Seller, &b.Buyer, &b.Status, &b.Name, &b.Course, &b.Edition, &b.Price, &b.Condition,
		&r.availableAt, &b.Comments, &b.ISBN, &b.University, &r.createdAt, &r.listedAt,
	}
}

func (r *bookRow) book() book.Book {
	b := r.Book
	b.Date = time.UnixMicro(r.availableAt).UTC() // 0 is a date like any other
	b.CreatedAt, b.ListedAt = instant(r.createdAt), instant(r.listedAt)
	return b
}

func scanBook(r row) (book.Book, error) {
	var b bookRow
	err := r.Scan(b.fields()...)
	return b.book(), err
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
		b.Date.UnixMicro(), b.Comments, string(b.ISBN), b.University, micros(b.CreatedAt), micros(b.ListedAt),
		book.TitleKey(b.Name), book.Key(b.Course), book.Key(b.University), int64(b.ID),
	}
}

// searchTerms is what book_search holds of a book.
func searchTerms(b book.Book) string {
	terms := append(b.Terms(), gradeMark(b.Condition))
	if k := book.Key(b.University); k != "" {
		terms = append(terms, universityMark(k))
	}
	if k := book.Key(b.Course); k != "" {
		terms = append(terms, courseMark(k))
	}
	return strings.Join(terms, " ")
}

// Marks stand beside a book's terms. No word that somebody looks for has an
// underscore.
func universityMark(key string) string      { return "_u" + key }
func courseMark(key string) string          { return "_c" + key }
func gradeMark(grade book.Condition) string { return "_g" + strconv.Itoa(int(grade)) }
