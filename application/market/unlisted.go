package market

import (
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
)

func UnlistedItem(b book.Book) message.Item {
	return message.Item{Book: int64(b.ID), Source: int64(b.ID), Title: b.Name, Course: b.Course}
}
