// Package fake replaces clock, IDs and randomness, so that tests are deterministic.
package fake

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/eventrelay"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// Clock advances only when a test says so. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock makes a clock that shows a Monday morning of the autumn term.
func NewClock() *Clock { return &Clock{now: time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Set moves the clock to t.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

// IDs counts from 1.
type IDs struct{ last atomic.Int64 }

// Next returns one more than the last ID.
func (i *IDs) Next() int64 { return i.last.Add(1) }

// Random reads the same bytes for the same seed. It is safe for concurrent use.
type Random struct {
	mu     sync.Mutex
	source *rand.ChaCha8
}

// NewRandom makes a stream of bytes.
func NewRandom(seed byte) *Random { return &Random{source: rand.NewChaCha8([32]byte{seed})} }

// Read fills p and never fails.
func (r *Random) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Read(p)
}

// Blobs is selling.BlobStore in memory.
type Blobs struct {
	mu    sync.Mutex
	blobs map[string][]byte
}

// NewBlobs returns an empty store.
func NewBlobs() *Blobs { return &Blobs{blobs: map[string][]byte{}} }

// PutBlob is selling.BlobStore.
func (b *Blobs) PutBlob(ctx context.Context, key string, data []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() == nil {
		b.blobs[key] = slices.Clone(data)
	}
	return ctx.Err()
}

// GetBlob is selling.BlobStore.
func (b *Blobs) GetBlob(ctx context.Context, key string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, ok := b.blobs[key]
	if !ok {
		return nil, selling.ErrBlobNotFound
	}
	return slices.Clone(data), ctx.Err()
}

// DeleteBlob is selling.BlobStore.
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

// Picture is a picture that Pictures converts.
var Picture = []byte("picture")

// Pictures is a selling.PictureConverter for tests that are not about pictures. It refuses what
// does not begin with Picture.
type Pictures struct {
	mu     sync.Mutex
	during func() error
}

// During calls do in the middle of the next conversion, which fails with its error.
func (p *Pictures) During(do func() error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.during = do
}

// CheckPicture is selling.PictureConverter.
func (p *Pictures) CheckPicture(data []byte) error {
	if !bytes.HasPrefix(data, Picture) {
		return photo.ErrFormat
	}
	return nil
}

// ConvertPicture is selling.PictureConverter.
func (p *Pictures) ConvertPicture(_ context.Context, _ user.ID, data []byte) (photo.Pictures, error) {
	p.mu.Lock()
	do := p.during
	p.during = nil
	p.mu.Unlock()
	if do != nil {
		if err := do(); err != nil {
			return photo.Pictures{}, err
		}
	}
	return photo.Pictures{Large: append([]byte("large "), data...), Thumb: append([]byte("small "), data...), Width: 1600, Height: 1200}, nil
}

// TurnPicture is selling.PictureConverter.
func (p *Pictures) TurnPicture(ctx context.Context, by user.ID, data []byte) (photo.Pictures, error) {
	return p.ConvertPicture(ctx, by, append([]byte("turned "), data...))
}

// CropPicture is selling.PictureConverter.
func (p *Pictures) CropPicture(ctx context.Context, by user.ID, data []byte, f photo.Frame) (photo.Pictures, error) {
	made, err := p.ConvertPicture(ctx, by, append([]byte("cropped "), data...))
	part := f.In(made.Width, made.Height)
	made.Width, made.Height = part.Width, part.Height
	return made, err
}

var errOnlyLooking = errors.New("only looking")

// PeekEvents returns the events in an outbox, in their order, and leaves them there.
func PeekEvents(t testing.TB, o eventrelay.Outbox) (all []event.Stored) {
	t.Helper()
	_, _, err := o.RelayEvents(context.Background(), 10_000, func(_ context.Context, events []event.Stored) (int, error) {
		all = events
		return 0, errOnlyLooking
	})
	if err != nil && !errors.Is(err, errOnlyLooking) {
		t.Fatal(err)
	}
	return all
}

// EventsAbout returns the types of the events whose data contain an id.
func EventsAbout(all []event.Stored, id string) (types []event.Type) {
	for _, e := range all {
		if _, data, _ := strings.Cut(string(e.Body), `"data":`); strings.Contains(data, `"`+id+`"`) {
			types = append(types, e.Type)
		}
	}
	return types
}
