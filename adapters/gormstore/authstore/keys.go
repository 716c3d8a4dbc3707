package authstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"gorm.io/gorm"
)

// UsedKey is a key with which the database was used.
type UsedKey struct {
	Name        string // of the setting
	Fingerprint string
	FirstUsed   time.Time
}

func scanUsedKey() ([]any, func() UsedKey) {
	var k UsedKey
	var at int64
	return []any{&k.Name, &k.Fingerprint, &at}, func() UsedKey {
		k.FirstUsed = rawsql.Time(at)
		return k
	}
}

// UsedKeys returns the keys with which the database was used, the first one first. Without the
// schema there are none.
func UsedKeys(ctx context.Context, db *gormstore.DB) ([]UsedKey, error) {
	if behind, err := isBehind(ctx, db); err != nil || behind {
		return nil, err
	}
	return rawsql.Collect(ctx, rawsql.On(db.Read), scanUsedKey, `SELECT name, fingerprint, first_used FROM used_keys ORDER BY first_used, name, fingerprint`)
}

// RecordKeys notes keys that are used from now on; those that are known stay as they are.
func RecordKeys(ctx context.Context, db *gormstore.DB, all []UsedKey) error {
	return db.Atomically(ctx, func(tx *gorm.DB) error {
		for _, k := range all {
			_, err := rawsql.On(tx).Exec(tx.Statement.Context, `INSERT INTO used_keys (name, fingerprint, first_used) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
				k.Name, k.Fingerprint, rawsql.Micros(k.FirstUsed))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func scanBytes() ([]any, func() []byte) {
	var b []byte
	return []any{&b}, func() []byte { return b }
}

// SealedSecrets returns the sealed secrets of up to n second factors that are on. Without the
// schema there are none.
func SealedSecrets(ctx context.Context, db *gormstore.DB, n int) ([][]byte, error) {
	if behind, err := isBehind(ctx, db); err != nil || behind {
		return nil, err
	}
	return rawsql.Collect(ctx, rawsql.On(db.Read), scanBytes, `SELECT secret FROM second_factors WHERE confirmed_at IS NOT NULL ORDER BY user_id LIMIT ?`, n)
}

func isBehind(ctx context.Context, db *gormstore.DB) (bool, error) {
	states, err := db.Schema(ctx, Migrations)
	return err == nil && states[0].Behind(), err
}
