package gormstore_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"gorm.io/gorm"
)

// After a failover a pooled connection may lead to a server that only reads. Here its session keeps
// the setting of the moment when it began.
func TestAConnectionToAReadOnlyServerIsReplaced(t *testing.T) {
	dsn := database.PostgresURL(t)
	u := must.Get(url.Parse(dsn))(t)
	admin := openPostgres(t, dsn)
	must.Do(t, admin.Migrate(t.Context(), notes()))
	alter := func(setting string) {
		t.Helper()
		statement := "ALTER DATABASE " + strings.TrimPrefix(u.Path, "/") + " " + setting + " default_transaction_read_only"
		if setting == "SET" {
			statement += " = on"
		}
		must.Do(t, admin.Write.WithContext(t.Context()).Exec(statement).Error)
	}
	alter("SET")
	db := openPostgres(t, dsn) // with one connection
	alter("RESET")
	if err := db.Write.WithContext(t.Context()).Find(&[]note{}).Error; err != nil {
		t.Errorf("a read: %v", err)
	}
	if err := db.Atomically(t.Context(), func(tx *gorm.DB) error { return tx.Create(&note{ID: 1}).Error }); err != nil {
		t.Errorf("a write: %v", err)
	}
}
