package findingstore

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/lexicon"
	"gorm.io/gorm"
)

// IndexAllRequests makes the index of requests anew, each under the longest word of its name: the rarest one is
// only found while people post.
func (s Reader) IndexAllRequests(ctx context.Context) error {
	return s.indexRequests(ctx, func(book.Request) bool { return true })
}

// indexSimplifiedRequests makes the entries anew of requests that earlier releases have indexed in traditional
// Chinese characters.
func (s Reader) indexSimplifiedRequests(ctx context.Context) error {
	return s.indexRequests(ctx, func(r book.Request) bool { return lexicon.Simplified(r.Name) != r.Name })
}

func (s Reader) indexRequests(ctx context.Context, concerned func(book.Request) bool) error {
	for last, more := int64(0), true; more; {
		err := s.DB.Atomically(ctx, func(tx *gorm.DB) error {
			r := requests{Handle: marketrows.On(tx)}
			query := "SELECT " + marketrows.RequestColumns + " FROM requests r WHERE r.status = 0 AND r.id > ? ORDER BY r.id LIMIT ?"
			found, err := rawsql.Collect(tx.Statement.Context, r.Conn, marketrows.ReadRequest, query+r.Locking(rawsql.ForNoKeyUpdate), last, rebuildBatch)
			if more = len(found) > 0; err != nil || !more {
				return err
			}
			for _, one := range found {
				if !concerned(one) {
					continue
				}
				if err := r.IndexRequest(tx.Statement.Context, one.ID, one.IndexEntries(longest(book.Significant(one.Name)))); err != nil {
					return err
				}
			}
			last = int64(found[len(found)-1].ID)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func longest(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return slices.MaxFunc(words, func(a, b string) int { return len(a) - len(b) })
}
