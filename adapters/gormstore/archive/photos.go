package archive

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/photo"
)

// writePhotos writes the pictures of all photos that are shown, of books and of reports about orders. A photo that is
// removed meanwhile stays stored for longer than that takes.
func (e Export) writePhotos(ctx context.Context, w *writer, s opened, r *Result) error {
	var lists []string
	for _, t := range s.tables {
		if t.Name == "photos" || t.Name == "report_photos" {
			lists = append(lists, "SELECT id, large_sum, thumb_sum FROM "+t.Name+" WHERE state = $1")
		}
	}
	if lists == nil {
		return nil
	}
	rows, err := s.QueryContext(ctx, strings.Join(lists, " UNION ALL ")+" ORDER BY id", int(photo.Shown))
	if err != nil {
		return gormstore.WrapUnavailable(err)
	}
	defer func() { _ = rows.Close() }()
	all := newSum()
	for rows.Next() {
		if err := e.writePhoto(ctx, w, rows, &all, r); err != nil {
			return err
		}
		if all.rows%50 == 0 {
			e.Report("pictures", all.rows, 0)
		}
	}
	r.Photos = all.total()
	return gormstore.WrapUnavailable(rows.Err())
}

func (e Export) writePhoto(ctx context.Context, w *writer, rows *sql.Rows, all *sum, r *Result) error {
	var p photo.Photo
	if err := rows.Scan(&p.ID, &p.LargeSum, &p.ThumbSum); err != nil {
		return err
	}
	for _, size := range []photo.Size{photo.Large, photo.Thumb} {
		key := p.ID.Key(size)
		data, err := e.Photos.GetBlob(ctx, key)
		if errors.Is(err, selling.ErrBlobNotFound) || err == nil && !p.SumOf(size).Fits(data) {
			r.Lost = append(r.Lost, key)
			continue
		}
		if err == nil {
			err = w.add(photosFolder+key, data)
		}
		if err != nil {
			return err
		}
		all.add(1, data)
	}
	return nil
}
