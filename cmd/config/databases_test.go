package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

func TestTheOperatorOfATooOldDatabaseReadsHowToStartAnewAndKeepTheOld(t *testing.T) {
	for url, want := range map[string][]string{
		"sqlite:/data/octavo.db":    {"move /data/octavo.db away and keep it", "octavo serve creates an empty one"},
		"postgres://db.test/octavo": {"keep a dump (pg_dump)", "drop the database", "octavo migrate up"},
	} {
		err := Database{URL: url}.TooOld()
		for _, w := range append(want, "only the octavo program that served it last reads it") {
			if !errors.Is(err, gormstore.ErrTooOld) || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: got %v, want ErrTooOld with %q", url, err, w)
			}
		}
	}
}
