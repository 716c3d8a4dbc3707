package selling

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// Arrange puts photos of a book of the caller before its others, in this order. The first is the cover.
func (p *Photos) Arrange(ctx context.Context, by user.Caller, of book.ID, order ...photo.ID) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	return p.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		if _, err := t.lockEditable(ctx, by, of); err != nil {
			return err
		}
		shown, err := t.LockPhotosOf(ctx, of)
		if err != nil {
			return err
		}
		for _, moved := range photo.Arrange(shown, order...) {
			if err := t.UpdatePhoto(ctx, moved, photo.Shown); err != nil {
				return err
			}
		}
		return nil
	})
}

// Turn turns a photo of a book of the caller a quarter to the right.
func (p *Photos) Turn(ctx context.Context, by user.Caller, id photo.ID) (photo.Photo, error) {
	return p.remake(ctx, by, id, func(large []byte) (photo.Pictures, error) { return p.pictures.TurnPicture(ctx, by.ID, large) })
}

// Crop leaves the part of a photo of a book of the caller that is in a frame.
func (p *Photos) Crop(ctx context.Context, by user.Caller, id photo.ID, f photo.Frame) (photo.Photo, error) {
	if err := f.Check(); err != nil {
		return photo.Photo{}, err
	}
	return p.remake(ctx, by, id, func(large []byte) (photo.Pictures, error) { return p.pictures.CropPicture(ctx, by.ID, large, f) })
}

// remake makes another photo of one of a book of the caller. It is a new photo in the place of the old one, because
// nobody asks again for a picture that they have.
func (p *Photos) remake(
	ctx context.Context, by user.Caller, id photo.ID, change func(large []byte) (photo.Pictures, error),
) (photo.Photo, error) {
	if err := by.MustBeStudent(); err != nil {
		return photo.Photo{}, err
	}
	found, of, err := p.reader.FindPhoto(ctx, id)
	if err != nil {
		return photo.Photo{}, err
	}
	if !of.VisibleTo(by) {
		return photo.Photo{}, photo.ErrNotFound
	}
	remade, err := p.reserve(ctx, by, found.Book, (*tx).lockEditable)
	if err != nil {
		return photo.Photo{}, err
	}
	large, err := p.Read(ctx, found, photo.Large)
	if err != nil {
		return photo.Photo{}, err
	}
	pictures, err := change(large)
	if err != nil {
		return photo.Photo{}, err
	}
	if err := p.store(ctx, remade, pictures); err != nil {
		return photo.Photo{}, err
	}
	return remade, p.replace(ctx, by, id, remade, pictures)
}

// replace shows a photo whose pictures are stored, in the place of another one.
func (p *Photos) replace(ctx context.Context, by user.Caller, id photo.ID, stored photo.Photo, pictures photo.Pictures) error {
	return p.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		if _, err := t.lockEditable(ctx, by, stored.Book); err != nil {
			return err
		}
		shown, err := t.LockPhotosOf(ctx, stored.Book)
		if err != nil {
			return err
		}
		all := photo.Arrange(shown)
		at := slices.IndexFunc(all, func(p photo.Photo) bool { return p.ID == id })
		if at < 0 {
			return photo.ErrNotFound // it was removed meanwhile
		}
		now := stored
		now.Show(pictures, t.Now)
		now.Position = all[at].Position
		all[at].Remove(t.Now)
		for _, one := range all { // also the others: beside their old numbers the new one would stand elsewhere
			if err := t.UpdatePhoto(ctx, one, photo.Shown); err != nil {
				return err
			}
		}
		return t.UpdatePhoto(ctx, now, photo.Pending)
	})
}
