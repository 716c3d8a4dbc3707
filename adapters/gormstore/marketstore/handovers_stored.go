package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// LacksDesk and LacksPlace report whether there are books, but no desk, or no place to meet. Without
// the schema nothing is lacking.
func LacksDesk(ctx context.Context, db *gormstore.DB) (bool, error) { return lacks(ctx, db, "desks") }

// LacksPlace is described at LacksDesk.
func LacksPlace(ctx context.Context, db *gormstore.DB) (bool, error) {
	return lacks(ctx, db, "meeting_places")
}

func lacks(ctx context.Context, db *gormstore.DB, name string) (yes bool, err error) {
	states, err := db.Schema(ctx, Migrations)
	if err != nil || states[0].Behind() {
		return false, err
	}
	_, read := db.SQL()
	err = read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM books) AND NOT EXISTS (SELECT 1 FROM `+name+`)`).Scan(&yes)
	return yes, err
}
