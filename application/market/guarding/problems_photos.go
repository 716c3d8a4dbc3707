package guarding

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

// AddPhoto adds a photo to an open report of the caller about an order. As with books, the row is stored before the
// pictures and shown after them.
func (p *Problems) AddPhoto(ctx context.Context, by user.Caller, of report.ID, picture []byte) (report.Photo, error) {
	if err := by.MustBeStudent(); err != nil {
		return report.Photo{}, err
	}
	if err := photo.CheckSize(len(picture)); err != nil {
		return report.Photo{}, err
	}
	if err := p.pictures.CheckPicture(picture); err != nil {
		return report.Photo{}, err
	}
	found, err := p.reader.FindReport(ctx, of)
	if err != nil {
		return report.Photo{}, err
	}
	var added report.Photo
	err = p.changePhotos(ctx, by, found.Report, func(ctx context.Context, t *tx) error {
		added = report.NewPhoto(photo.ID(t.IDs.Next()), found.Report, t.Now)
		return t.AddReportPhoto(ctx, added)
	})
	if err != nil {
		return report.Photo{}, err
	}
	pictures, err := p.pictures.ConvertPicture(ctx, by.ID, picture)
	if err != nil {
		return report.Photo{}, err
	}
	for size, data := range map[photo.Size][]byte{photo.Large: pictures.Large, photo.Thumb: pictures.Thumb} {
		if err := p.blobs.PutBlob(ctx, added.ID.Key(size), data); err != nil {
			return report.Photo{}, fmt.Errorf("store a photo of a report: %w", err)
		}
	}
	shown := added
	return shown, p.changePhotos(ctx, by, found.Report, func(ctx context.Context, t *tx) error {
		shown = added
		shown.Show(pictures, t.Now)
		return t.ShowReportPhoto(ctx, shown)
	})
}

// changePhotos runs do while the report is open and has room for one more photo.
func (p *Problems) changePhotos(ctx context.Context, by user.Caller, of report.Report, do func(context.Context, *tx) error) error {
	return p.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		open, err := t.LockOpenReports(ctx, of.Target)
		if err != nil {
			return err
		}
		now := of
		if i := slices.IndexFunc(open, func(r report.Report) bool { return r.ID == of.ID }); i >= 0 {
			now = open[i]
		} else if now.Open() { // it was decided, or deleted with its reporter, since it was read
			now.ResolvedAt = t.Now
		}
		n, err := t.CountReportPhotos(ctx, of.ID)
		if err != nil {
			return err
		}
		if err := now.CheckPhoto(by.ID, n); err != nil {
			return err
		}
		return do(ctx, t)
	})
}

// FindPhoto returns a photo; photo.ErrNotFound if there is none or the caller may not see its report.
func (p *Problems) FindPhoto(ctx context.Context, by user.Caller, id photo.ID) (report.Photo, error) {
	if !by.SignedIn() {
		return report.Photo{}, photo.ErrNotFound
	}
	found, of, err := p.reader.FindReportPhoto(ctx, id)
	if err == nil && !of.ShownTo(by) {
		return report.Photo{}, photo.ErrNotFound
	}
	return found, err
}

// ReadPhoto returns a picture of a photo that FindPhoto has returned; photo.ErrLost if what is stored is not what was.
func (p *Problems) ReadPhoto(ctx context.Context, found report.Photo, s photo.Size) ([]byte, error) {
	data, err := p.blobs.GetBlob(ctx, found.ID.Key(s))
	if fault.KindOf(err) == fault.NotFound || err == nil && !found.SumOf(s).Fits(data) {
		return nil, fmt.Errorf("%w: %s of a report", photo.ErrLost, found.ID.Key(s))
	}
	return data, err
}

const (
	// photoGrace is how long a photo stays pending or removed: longer than any request, and for a backup to copy the
	// pictures of the rows that it has copied.
	photoGrace = time.Hour

	photoSweepBatch = 100
)

// SweepPhotos deletes the pictures, and then the rows, of photos that were never shown, whose report is deleted or whose
// owner is. It returns how many.
func (p *Problems) SweepPhotos(ctx context.Context) (deleted int, err error) {
	then := p.deps.Clock.Now().Add(-photoGrace)
	for {
		var ids []photo.ID
		err := p.deps.WithTx(ctx, func(ctx context.Context, t *tx) (err error) {
			if err := t.RemovePendingReportPhotos(ctx, then, t.Now); err != nil {
				return err
			}
			ids, err = t.ListRemovedReportPhotos(ctx, then, photoSweepBatch)
			return err
		})
		if err != nil {
			return deleted, err
		}
		for _, id := range ids {
			if err := p.deletePhoto(ctx, id); err != nil {
				return deleted, err
			}
			deleted++
		}
		if len(ids) < photoSweepBatch {
			return deleted, nil
		}
	}
}

// deletePhoto deletes the pictures outside of a transaction, because that may take long.
func (p *Problems) deletePhoto(ctx context.Context, id photo.ID) error {
	for _, size := range []photo.Size{photo.Large, photo.Thumb} {
		if err := p.blobs.DeleteBlob(ctx, id.Key(size)); err != nil {
			return fmt.Errorf("delete a photo of a report: %w", err)
		}
	}
	return p.deps.WithTx(ctx, func(ctx context.Context, t *tx) error { return t.DeleteReportPhoto(ctx, id) })
}
