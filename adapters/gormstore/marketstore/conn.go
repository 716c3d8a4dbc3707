package marketstore

import (
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
)

// conn runs statements that are written and scanned by hand.
type conn struct{ rawsql.Conn }

func (c conn) postgres() bool { return c.Dialect == gormstore.Postgres }

// top is the bound of a list that is newest first; 0 means none.
func top[T ~int64](before T) int64 {
	if before == 0 {
		return 1<<63 - 1
	}
	return int64(before)
}
