package contract

import (
	"bytes"
	"context"
	"testing"

	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/test/must"
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
