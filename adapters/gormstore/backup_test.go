package gormstore_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

func TestACopyThatLacksARowOrATableIsRefused(t *testing.T) {
	db := database.SQLite(t, notes())
	must.Do(t, db.Write.Create(&note{ID: 1, Word: "kept"}).Error)
	path := filepath.Join(t.TempDir(), "what? 100%.db")
	must.Do(t, db.Backup(t.Context(), path))
	for _, c := range []struct {
		rows  map[string]int64
		whole bool
	}{
		{map[string]int64{"notes": 1}, true},
		{map[string]int64{"notes": 2}, false},
		{map[string]int64{"notes": 1, "others": 0}, false},
	} {
		if err := gormstore.CheckCopy(t.Context(), path, c.rows); (err == nil) != c.whole || err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%v: %v", c.rows, err)
		}
	}
	if err := db.Backup(t.Context(), path); err == nil {
		t.Error("a backup was overwritten")
	}
}
