package servers

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/octavo-books/octavo/test/gobuild"
	"github.com/octavo-books/octavo/test/must"
)

// The credentials of a Bucket.
const (
	S3AccessKeyID     = "octavo"
	S3SecretAccessKey = "a secret of the tests"
)

// Bucket is a bucket of an S3 server that stores it in a folder.
type Bucket struct {
	address string
	folder  string
	server  process
}

// S3 starts a server with one bucket. Its program is built from a module of its own,
// test/s3server.
func S3(t testing.TB) *Bucket {
	t.Helper()
	NotShort(t, "a server of objects")
	program, folder := filepath.Join(t.TempDir(), "s3server"), Dir(t)
	must.Do(t, gobuild.Program(t.Context(), filepath.Join(root(t), "test", "s3server"), program, "."))
	b := &Bucket{address: Address(t), folder: filepath.Join(folder, "objects", "books")}
	b.server = process{path: program, args: []string{b.address, folder, "books", S3AccessKeyID, S3SecretAccessKey}, dir: folder}
	b.Start(t)
	t.Cleanup(b.Kill)
	return b
}

// Start starts the server again after Kill, with what it has stored.
func (b *Bucket) Start(t testing.TB) {
	t.Helper()
	b.server.start(t)
	until(t, "the S3 server listens", func() error {
		c, err := net.Dial("tcp", b.address)
		if err == nil {
			err = c.Close()
		}
		return err
	})
}

// Kill ends the server as a crash would.
func (b *Bucket) Kill() { b.server.kill() }

// URL is the BLOB_URL of the bucket, with a prefix for all keys.
func (b *Bucket) URL(prefix string) string {
	return "s3://books/" + prefix + "?endpoint=" + url.QueryEscape("http://"+b.address)
}

// File is where the server keeps an object, for tests that damage it.
func (b *Bucket) File(key string) string { return filepath.Join(b.folder, filepath.FromSlash(key)) }

// root is the folder of the module whose package is tested.
func root(t testing.TB) string {
	t.Helper()
	dir := must.Get(os.Getwd())(t)
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above the test")
	return ""
}
