package fake

import (
	"context"
	"slices"
	"sync"

	"github.com/octavo-books/octavo/application/market/selling"
)

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
