package market

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// SurrogateKey names something that public responses show. A cache in front indexes its copies by
// their keys, and removes all copies with one when it changes. A key is at most 26 small letters,
// digits and dashes.
type SurrogateKey string

const (
	// Everything is a key of every public response.
	Everything SurrogateKey = "octavo"

	// AllLists is a key of each list of books, of its number and of what is suggested for its filter.
	AllLists SurrogateKey = "books"

	allTitles SurrogateKey = "titles" // each page of all copies of a title
)

func bookKey(id book.ID) SurrogateKey { return SurrogateKey("book-" + id.String()) }

// SellerKey is the key of what names a seller.
func SellerKey(id user.ID) SurrogateKey { return SurrogateKey("seller-" + id.String()) }

// ISBNKey is a key of what shows all copies of a title.
func ISBNKey(isbn book.ISBN) SurrogateKey { return SurrogateKey("isbn-" + string(isbn)) }

func titleKey(name string) SurrogateKey { return "title-" + hashedKey(book.TitleKey(name)) }

// CourseKeyOf is the key of what shows for how much the books of a course have sold.
func CourseKeyOf(course string) SurrogateKey { return "course-" + hashedKey(text.Key(course)) }

// hashedKey shortens a text. Two texts with the same hash are purged together, which only costs
// the cache a request.
func hashedKey(text string) SurrogateKey {
	sum := sha256.Sum256([]byte(text))
	return SurrogateKey(hex.EncodeToString(sum[:8]))
}

// ListKeys are the keys of a list of books or of a search. A change of any book may change any
// list: its counts, its suggestions and which books are on a page.
func ListKeys() []SurrogateKey { return []SurrogateKey{Everything, AllLists} }

// TitleKeys are the keys of the page of all copies of a title, which names their sellers.
func TitleKeys(isbn book.ISBN) []SurrogateKey {
	return []SurrogateKey{Everything, ISBNKey(isbn), allTitles}
}

// BookKeys are the keys of a response that shows one book and its seller, or a drawn cover.
func BookKeys(b book.Book) []SurrogateKey {
	return []SurrogateKey{Everything, bookKey(b.ID), SellerKey(b.Seller)}
}

// PhotoKeys are the keys of the pictures of a photo.
func PhotoKeys(p photo.Photo) []SurrogateKey {
	return []SurrogateKey{Everything, bookKey(p.Book), SellerKey(p.Owner)}
}

// BookPageKeys are the keys of the page of a book, which also shows other copies, what such books
// have sold for and the record of the seller.
func BookPageKeys(b book.Book) []SurrogateKey {
	return append(append(BookKeys(b), CopyKeys(b)...), CourseKeyOf(b.Course))
}

// CopyKeys are the keys of what other copies of a book show of it.
func CopyKeys(b book.Book) []SurrogateKey {
	if b.ISBN == "" {
		return []SurrogateKey{titleKey(b.Name)}
	}
	return []SurrogateKey{ISBNKey(b.ISBN), titleKey(b.Name)}
}
