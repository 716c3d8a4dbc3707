package assembly

import (
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
)

// schema is what the served components keep in the main database.
func (c Components) schema() []gormstore.Migrations {
	all := []gormstore.Migrations{outboxstore.Migrations, authstore.Migrations}
	if c.Market {
		all = append(all, marketstore.Migrations)
	}
	return all
}

func mainSchema() []gormstore.Migrations { return All.schema() }

func inboxSchema() []gormstore.Migrations { return []gormstore.Migrations{inboxstore.Migrations} }
