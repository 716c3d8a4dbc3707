package workstore

import (
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"gorm.io/gorm"
)

// TakeStatement is the statement of TakeJob.
func TakeStatement(tx *gorm.DB) string {
	c := rawsql.On(tx)
	return rawsql.Bind(c.Dialect, takeStatement(c))
}
