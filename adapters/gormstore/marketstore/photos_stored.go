package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/domain/photo"
)

// HasPhotos reports whether there is any shown photo. Without the schema there is none.
func HasPhotos(ctx context.Context, db *gormstore.DB) (exist bool, err error) {
	states, err := db.Schema(ctx, Migrations)
	if err != nil || states[0].Behind() {
		return false, err
	}
	_, read := db.SQL()
	err = read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM photos WHERE state = 1)
		OR EXISTS (SELECT 1 FROM report_photos WHERE state = 1)`).Scan(&exist)
	return exist, err
}

const storedBatch = 1000

// EachPhoto calls do with the id, state and sums of every photo, of books and of reports about orders. Unless the schema is that of
// this program there is none.
func EachPhoto(ctx context.Context, db *gormstore.DB, do func(photo.Photo) error) error {
	states, err := db.Schema(ctx, Migrations)
	if err != nil || states[0].Current != states[0].Target {
		return err
	}
	for _, list := range []string{
		`SELECT id, state, large_sum, thumb_sum FROM photos WHERE id > $1 ORDER BY id LIMIT $2`,
		`SELECT id, state, large_sum, thumb_sum FROM report_photos WHERE id > $1 ORDER BY id LIMIT $2`,
	} {
		if err := eachPhoto(ctx, db, list, do); err != nil {
			return err
		}
	}
	return nil
}

func eachPhoto(ctx context.Context, db *gormstore.DB, list string, do func(photo.Photo) error) error {
	for last := photo.ID(0); ; {
		found, err := photosAfter(ctx, db, list, last)
		if err != nil {
			return err
		}
		for _, p := range found {
			if err := do(p); err != nil {
				return err
			}
			last = p.ID
		}
		if len(found) < storedBatch {
			return nil
		}
	}
}

func photosAfter(ctx context.Context, db *gormstore.DB, list string, last photo.ID) (all []photo.Photo, err error) {
	_, read := db.SQL()
	rows, err := read.QueryContext(ctx, list, int64(last), storedBatch)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var p photo.Photo
		if err := rows.Scan(&p.ID, &p.State, &p.LargeSum, &p.ThumbSum); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, rows.Err()
}
