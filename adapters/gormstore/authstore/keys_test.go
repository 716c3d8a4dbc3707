package authstore_test

import (
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

func TestTheDatabaseKnowsTheKeysWithWhichItWasUsed(t *testing.T) {
	at := time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)
	one, two := authstore.UsedKey{Name: "PRIVATE_KEY", Fingerprint: "a", FirstUsed: at}, authstore.UsedKey{Name: "PRIVATE_KEY", Fingerprint: "b", FirstUsed: at.Add(time.Hour)}
	for engine, db := range map[string]*gormstore.DB{
		"sqlite": database.SQLite(t, authstore.Migrations), "postgres": database.Postgres(t, authstore.Migrations),
	} {
		again := one
		again.FirstUsed = at.Add(2 * time.Hour)
		for _, all := range [][]authstore.UsedKey{{two}, {one}, {again, two}} {
			must.Do(t, authstore.RecordKeys(t.Context(), db, all))
		}
		if got, err := authstore.UsedKeys(t.Context(), db); err != nil || !slices.Equal(got, []authstore.UsedKey{one, two}) {
			t.Errorf("%s: %+v, %v", engine, got, err)
		}
		if err := db.Write.WithContext(t.Context()).Exec("INSERT INTO second_factors (user_id, secret, started_at, confirmed_at, last_step, recovery) VALUES (1, ?, 0, 5, 0, ?), (2, ?, 0, NULL, 0, ?)",
			[]byte("on"), []byte{}, []byte("off"), []byte{}).Error; err != nil {
			t.Fatal(err)
		}
		if got, err := authstore.SealedSecrets(t.Context(), db, 9); err != nil || len(got) != 1 || string(got[0]) != "on" {
			t.Errorf("%s: %q, %v", engine, got, err)
		}
	}
}
