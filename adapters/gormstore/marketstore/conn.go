package marketstore

import (
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"gorm.io/gorm"
)

// conn is where statements run: those that GORM writes in its session, those that are
// written by hand beside it.
type conn struct {
	rawsql.Conn
	session *gorm.DB
}

func newConn(session *gorm.DB, d gormstore.Dialect) conn {
	return conn{rawsql.Conn{Pool: session.Statement.ConnPool, Dialect: d}, session}
}

func (c conn) postgres() bool { return c.Dialect == gormstore.Postgres }

// top is the bound of a list that is newest first; 0 means none.
func top[T ~int64](before T) int64 {
	if before == 0 {
		return 1<<63 - 1
	}
	return int64(before)
}
