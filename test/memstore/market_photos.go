package memstore

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

type photoTable struct{ table }

func (t photoTable) AddPhoto(_ context.Context, p photo.Photo) error {
	t.photos[p.ID] = p
	return nil
}

func (t photoTable) LockPhoto(_ context.Context, id photo.ID) (photo.Photo, error) {
	p, ok := t.photos[id]
	if !ok {
		return p, photo.ErrNotFound
	}
	return p, nil
}

func (t photoTable) LockPhotosIn(_ context.Context, s photo.State, then time.Time, n int) ([]photo.Photo, error) {
	return pick(t.photos, n, oldestPhoto, func(p photo.Photo) bool { return p.State == s && !p.ChangedAt.After(then) }), nil
}

func (t photoTable) ListUnmeasured(_ context.Context, after photo.ID, n int) ([]photo.Photo, error) {
	return pick(t.photos, n, oldestPhoto, func(p photo.Photo) bool { return p.State == photo.Shown && p.LargeSum == 0 && p.ID > after }), nil
}

func (t photoTable) UpdatePhoto(_ context.Context, p photo.Photo, was photo.State) error {
	stored, ok := t.photos[p.ID]
	if !ok || stored.State != was {
		return photo.ErrNotFound
	}
	stored.State, stored.Width, stored.Height, stored.ChangedAt, stored.LargeSum, stored.ThumbSum = p.State, p.Width, p.Height, p.ChangedAt, p.LargeSum, p.ThumbSum
	t.photos[p.ID] = stored
	return nil
}

func (t photoTable) CountPhotos(_ context.Context, of book.ID, owner user.ID) (ofBook, ofOwner int, err error) {
	for _, p := range t.photos {
		if p.State == photo.Shown && p.Book == of {
			ofBook++
		}
		if p.State == photo.Shown && p.Owner == owner {
			ofOwner++
		}
	}
	return ofBook, ofOwner, nil
}

func (t photoTable) ListPhotos(_ context.Context, of ...book.ID) (map[book.ID][]photo.Photo, error) {
	byBook := map[book.ID][]photo.Photo{}
	for _, id := range of {
		byBook[id] = t.photosOf(id)
	}
	return byBook, nil
}

func (t photoTable) RemovePhotosOf(_ context.Context, owner user.ID, now time.Time) error {
	for id, p := range t.photos {
		if p.Owner == owner && p.State != photo.Removed {
			p.Remove(now)
			t.photos[id] = p
		}
	}
	return nil
}

func (t photoTable) DeletePhoto(_ context.Context, id photo.ID) error {
	if t.photos[id].State == photo.Removed {
		delete(t.photos, id)
	}
	return nil
}

func oldestPhoto(a, b photo.Photo) int { return cmp.Compare(a.ID, b.ID) }

func (t *marketTables) photosOf(id book.ID) []photo.Photo {
	all := pick(t.photos, len(t.photos), oldestPhoto, func(p photo.Photo) bool { return p.Book == id && p.State == photo.Shown })
	for i := range all {
		all[i].ChangedAt, all[i].LargeSum, all[i].ThumbSum = time.Time{}, 0, 0
	}
	return all
}

// FindPhoto is market.PhotoReader.
func (m *Market) FindPhoto(ctx context.Context, id photo.ID) (photo.Photo, book.Book, error) {
	found, err := rows(ctx, m, func(t *marketTables) []photo.Photo {
		return pick(t.photos, 1, oldestPhoto, func(p photo.Photo) bool { return p.ID == id && p.State == photo.Shown })
	})
	if err != nil || len(found) == 0 {
		return photo.Photo{}, book.Book{}, cmp.Or[error](err, photo.ErrNotFound)
	}
	return found[0], m.s.tables.market.books[found[0].Book], nil
}

// Blobs is market.BlobStore in memory.
type Blobs struct {
	mu    sync.Mutex
	blobs map[string][]byte
}

// NewBlobs returns an empty store.
func NewBlobs() *Blobs { return &Blobs{blobs: map[string][]byte{}} }

// PutBlob is market.BlobStore.
func (b *Blobs) PutBlob(ctx context.Context, key string, data []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() == nil {
		b.blobs[key] = slices.Clone(data)
	}
	return ctx.Err()
}

// GetBlob is market.BlobStore.
func (b *Blobs) GetBlob(ctx context.Context, key string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, ok := b.blobs[key]
	if !ok {
		return nil, market.ErrBlobNotFound
	}
	return slices.Clone(data), ctx.Err()
}

// DeleteBlob is market.BlobStore.
func (b *Blobs) DeleteBlob(ctx context.Context, key string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() == nil {
		delete(b.blobs, key)
	}
	return ctx.Err()
}

// Len returns how many blobs there are.
func (b *Blobs) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.blobs)
}
