package contract

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
)

// Blobs checks the promises of a selling.BlobStore. open returns an empty one.
func Blobs(t *testing.T, open func(*testing.T) selling.BlobStore) {
	for name, test := range map[string]func(*testing.T, selling.BlobStore){
		"a blob is read as it was stored":                               blobRoundTrip,
		"a blob replaces the one with its key":                          blobReplaced,
		"a deleted blob is gone, and deleting it again is not an error": blobDeleted,
		"a cancelled context ends a call":                               blobCancelled,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func blobRoundTrip(t *testing.T, s selling.BlobStore) {
	blobs := map[string][]byte{"1/2.jpg": []byte("two"), "1/2-thumb.jpg": {}, "251/9223372036854775807.jpg": bytes.Repeat([]byte{0, 255, 10, 13}, 200_000)}
	for key, data := range blobs {
		must.Do(t, s.PutBlob(t.Context(), key, data))
	}
	for key, data := range blobs {
		read, err := s.GetBlob(t.Context(), key)
		if err != nil || !bytes.Equal(read, data) {
			t.Errorf("%s has %d bytes, want %d: %v", key, len(read), len(data), err)
		}
	}
	refused(t, must.Err(s.GetBlob(t.Context(), "1/3.jpg")), selling.ErrBlobNotFound)
	refused(t, must.Err(s.GetBlob(t.Context(), "7/3.jpg")), selling.ErrBlobNotFound)
}

func blobReplaced(t *testing.T, s selling.BlobStore) {
	for _, data := range []string{"a long first one", "short"} {
		must.Do(t, s.PutBlob(t.Context(), "1/2.jpg", []byte(data)))
		read, err := s.GetBlob(t.Context(), "1/2.jpg")
		if err != nil || string(read) != data {
			t.Errorf("read %q, %v", read, err)
		}
	}
}

func blobDeleted(t *testing.T, s selling.BlobStore) {
	must.Do(t, s.DeleteBlob(t.Context(), "1/2.jpg"))
	must.Do(t, s.PutBlob(t.Context(), "1/2.jpg", []byte("two")))
	must.Do(t, s.PutBlob(t.Context(), "1/2-thumb.jpg", []byte("small")))
	for range 2 {
		must.Do(t, s.DeleteBlob(t.Context(), "1/2.jpg"))
	}
	refused(t, must.Err(s.GetBlob(t.Context(), "1/2.jpg")), selling.ErrBlobNotFound)
	if read, err := s.GetBlob(t.Context(), "1/2-thumb.jpg"); err != nil || string(read) != "small" {
		t.Errorf("the other blob is %q, %v", read, err)
	}
}

func blobCancelled(t *testing.T, s selling.BlobStore) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s.PutBlob(ctx, "1/2.jpg", []byte("two")) == nil {
		t.Error("a blob was put")
	}
	if _, err := s.GetBlob(ctx, "1/2.jpg"); err == nil {
		t.Error("a blob was read")
	}
	if s.DeleteBlob(ctx, "1/2.jpg") == nil {
		t.Error("a blob was deleted")
	}
	refused(t, must.Err(s.GetBlob(t.Context(), "1/2.jpg")), selling.ErrBlobNotFound)
}

// Purger checks the promises of market.Purger. open returns a purger, the keys that the cache has
// been told to purge so far, and a function that makes the cache hang until the test ends.
func Purger(t *testing.T, open func(*testing.T) (p market.Purger, purged func() []market.SurrogateKey, hang func())) {
	t.Run("the cache is told each key", func(t *testing.T) {
		p, purged, _ := open(t)
		p.Purge("book-1", "seller-2")
		awaitPurged(t, purged, "book-1")
		awaitPurged(t, purged, "seller-2")
		p.Purge("book-3")
		awaitPurged(t, purged, "book-3")
		if slices.Contains(purged(), market.Everything) {
			t.Error("three keys are a reason to purge everything")
		}
	})
	t.Run("many keys at once are purged, or everything is", func(t *testing.T) {
		p, purged, _ := open(t)
		for i := range 20_000 {
			p.Purge(market.SurrogateKey(fmt.Sprintf("book-%d", i)))
		}
		for _, i := range []int{0, 9_999, 19_999} {
			awaitPurged(t, purged, market.SurrogateKey(fmt.Sprintf("book-%d", i)))
		}
	})
	t.Run("nobody waits for a cache that hangs", func(t *testing.T) {
		p, _, hang := open(t)
		hang()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 1_000 {
				p.Purge("book-1")
			}
		}()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatal("purging has not returned")
		}
	})
}

// awaitPurged waits until the cache has been told a key, or everything.
func awaitPurged(t *testing.T, purged func() []market.SurrogateKey, key market.SurrogateKey) {
	t.Helper()
	poll.For(t, string(key)+" is purged", func() bool {
		keys := purged()
		return slices.Contains(keys, key) || slices.Contains(keys, market.Everything)
	})
}

// WriteMarks checks the promises of market.WriteMarks. open returns marks for standbys that may be
// maxLag behind.
func WriteMarks(t *testing.T, open func(t *testing.T, maxLag time.Duration) market.WriteMarks) {
	for name, test := range map[string]func(*testing.T){
		"only who is about to write has a mark": func(t *testing.T) {
			m := open(t, time.Hour)
			must.Do(t, m.MarkWriter(t.Context(), 7, 0))
			marked(t, m, 7, true)
			marked(t, m, 8, false)
		},
		"a mark covers the writing and the lag": func(t *testing.T) {
			m := open(t, time.Millisecond)
			must.Do(t, m.MarkWriter(t.Context(), 7, time.Hour))
			marked(t, m, 7, true)
		},
		"a mark ends": func(t *testing.T) {
			m := open(t, 10*time.Millisecond)
			must.Do(t, m.MarkWriter(t.Context(), 7, 10*time.Millisecond))
			poll.Until(func() bool { still, err := m.IsMarked(t.Context(), 7); return err != nil || !still })
			marked(t, m, 7, false)
		},
		"a later write does not shorten a mark": func(t *testing.T) {
			m := open(t, time.Millisecond)
			must.Do(t, m.MarkWriter(t.Context(), 7, time.Hour))
			must.Do(t, m.MarkWriter(t.Context(), 8, time.Millisecond))
			must.Do(t, m.MarkWriter(t.Context(), 7, time.Millisecond))
			poll.Until(func() bool { still, err := m.IsMarked(t.Context(), 8); return err != nil || !still })
			marked(t, m, 7, true)
		},
	} {
		t.Run(name, test)
	}
}

func marked(t *testing.T, m market.WriteMarks, id user.ID, want bool) {
	t.Helper()
	if got, err := m.IsMarked(t.Context(), id); err != nil || got != want {
		t.Errorf("user %d has a mark: %v, want %v (%v)", id, got, want, err)
	}
}

// wakes checks that wait ends after the change, and that it ends with its context. The adapter
// must not poll within the time that this takes.
func wakes(t *testing.T, what string, wait func(context.Context), change func()) {
	t.Helper()
	ended := make(chan struct{})
	go func() { defer close(ended); wait(t.Context()) }()
	change()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Errorf("%s wakes nobody", what)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	wait(over)
}
