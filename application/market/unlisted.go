package market

import (
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
)

// UnlistedItem is a book that was taken off sale, for a mail to its seller.
func UnlistedItem(b book.Book) message.Item {
	return message.Item{Book: int64(b.ID), Source: int64(b.ID), Title: b.Name, Course: b.Course}
}
