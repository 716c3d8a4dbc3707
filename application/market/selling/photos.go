package selling

import (
	"context"
	"fmt"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// ErrBlobNotFound is the error of a BlobStore without the blob.
var ErrBlobNotFound = fault.New(fault.NotFound, "blob_not_found", "This picture does not exist.")

// Photos adds, shows and removes the photos of books.
type Photos struct {
	deps     unit
	reader   Reader
	blobs    BlobStore
	pictures PictureConverter
}

// newPhotos returns the use cases of photos.
func newPhotos(d unit, r Reader, b BlobStore, c PictureConverter) *Photos {
	return &Photos{d, r, b, c}
}

// Add adds a photo to a book of the caller that is for sale or unlisted. The row of the photo
// is stored before its pictures and shown after them. If anything in between fails, the row
// stays pending, counts for no limit, and PhotoSweeper deletes it with the pictures.
func (p *Photos) Add(ctx context.Context, by user.Caller, of book.ID, picture []byte) (photo.Photo, error) {
	if err := by.MustBeStudent(); err != nil {
		return photo.Photo{}, err
	}
	if err := photo.CheckSize(len(picture)); err != nil {
		return photo.Photo{}, err
	}
	if err := p.pictures.CheckPicture(picture); err != nil {
		return photo.Photo{}, err
	}
	added, err := p.reserve(ctx, by, of, (*tx).lockForPhoto)
	if err != nil {
		return photo.Photo{}, err
	}
	pictures, err := p.pictures.ConvertPicture(ctx, by.ID, picture)
	if err != nil {
		return photo.Photo{}, err
	}
	if err := p.store(ctx, added, pictures); err != nil {
		return photo.Photo{}, err
	}
	return p.show(ctx, by, added, pictures)
}

// store stores the pictures of a photo that nobody sees yet.
func (p *Photos) store(ctx context.Context, added photo.Photo, pictures photo.Pictures) error {
	for size, data := range map[photo.Size][]byte{photo.Large: pictures.Large, photo.Thumb: pictures.Thumb} {
		if err := p.blobs.PutBlob(ctx, added.ID.Key(size), data); err != nil {
			return fmt.Errorf("store a photo: %w", err)
		}
	}
	return nil
}

// reserve stores a pending photo. It refuses what show would refuse, before the work in
// between.
func (p *Photos) reserve(
	ctx context.Context, by user.Caller, of book.ID, lock func(*tx, context.Context, user.Caller, book.ID) (book.Book, error),
) (added photo.Photo, err error) {
	err = p.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		b, err := lock(t, ctx, by, of)
		if err != nil {
			return err
		}
		added = photo.New(photo.ID(t.IDs.Next()), b, t.Now)
		return t.AddPhoto(ctx, added)
	})
	return added, err
}

func (p *Photos) show(ctx context.Context, by user.Caller, added photo.Photo, pictures photo.Pictures) (shown photo.Photo, err error) {
	err = p.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		if _, err := t.lockForPhoto(ctx, by, added.Book); err != nil {
			return err
		}
		shown = added
		shown.Show(pictures, t.Now)
		return t.UpdatePhoto(ctx, shown, photo.Pending)
	})
	return shown, err
}

// lockForPhoto locks a book of the caller that can get one more photo.
func (t *tx) lockForPhoto(ctx context.Context, by user.Caller, of book.ID) (book.Book, error) {
	b, err := t.lockEditable(ctx, by, of)
	if err != nil {
		return b, err
	}
	ofBook, ofOwner, err := t.CountPhotos(ctx, b.ID, by.ID)
	if err != nil {
		return b, err
	}
	return b, photo.CheckRoom(ofBook, ofOwner)
}

// lockEditable is lockOwnBook for a book that is for sale or unlisted.
func (t *tx) lockEditable(ctx context.Context, by user.Caller, id book.ID) (book.Book, error) {
	b, err := t.lockOwnBook(ctx, by, id)
	if err != nil {
		return b, err
	}
	return b, b.CheckEditable()
}

// Remove removes a photo from a book of the caller that is for sale or unlisted.
func (p *Photos) Remove(ctx context.Context, by user.Caller, id photo.ID) error {
	if err := by.MustBeStudent(); err != nil {
		return err
	}
	found, of, err := p.reader.FindPhoto(ctx, id)
	if err != nil {
		return err
	}
	if !of.VisibleTo(by) {
		return photo.ErrNotFound
	}
	return p.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		if _, err := t.lockEditable(ctx, by, found.Book); err != nil {
			return err
		}
		stored, err := t.LockPhoto(ctx, id)
		if err != nil {
			return err
		}
		stored.Remove(t.Now)
		return t.UpdatePhoto(ctx, stored, photo.Shown)
	})
}

// Find returns a photo and whether everybody may see it; photo.ErrNotFound if there is none
// or the caller may neither see its book nor a report about it.
func (p *Photos) Find(ctx context.Context, by user.Caller, id photo.ID) (found photo.Photo, public bool, err error) {
	found, of, err := p.reader.FindPhoto(ctx, id)
	if err == nil && !of.VisibleTo(by) && market.MustOverseeBook(ctx, by, of, p.reader.ListReportCampuses) != nil {
		err = photo.ErrNotFound
	}
	return found, of.VisibleTo(user.Caller{}), err
}

// Read returns a picture of a photo that Find has returned; photo.ErrNotFound if it was
// deleted since, photo.ErrLost if what is stored is not what was.
func (p *Photos) Read(ctx context.Context, found photo.Photo, s photo.Size) ([]byte, error) {
	data, err := p.blobs.GetBlob(ctx, found.ID.Key(s))
	if fault.KindOf(err) == fault.NotFound {
		return nil, p.explainMissing(ctx, found, s)
	}
	if sum := found.SumOf(s); err == nil && !sum.Fits(data) {
		return nil, fmt.Errorf("%w: %s has %d bytes that are not the picture that was stored", photo.ErrLost, found.ID.Key(s), len(data))
	}
	return data, err
}

// explainMissing returns why a picture is missing: deleted with its photo, or lost.
func (p *Photos) explainMissing(ctx context.Context, found photo.Photo, s photo.Size) error {
	if _, _, err := p.reader.FindPhoto(ctx, found.ID); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s is missing", photo.ErrLost, found.ID.Key(s))
}
