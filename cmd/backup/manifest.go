package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/blobs3"
)

const manifestName = "manifest.json"

// maxManifest is far above the size of a manifest: a backup has few files.
const maxManifest = 1 << 20

// manifest lists the files of a backup.
type manifest struct {
	Octavo string `json:"octavo"` // the version that made the backup
	Files  []file `json:"files"`
}

// file is a file of a backup. The sum is hexadecimal.
type file struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

func (b *Bucket) readManifest(ctx context.Context, backup string) (m manifest, err error) {
	name := backup + "/" + manifestName
	body, err := b.objects.OpenObject(ctx, name)
	if errors.Is(err, blobs3.ErrObjectNotFound) {
		return m, fmt.Errorf("%s is missing in the bucket", b.URL(name))
	}
	if err != nil {
		return m, err
	}
	defer func() { _ = body.Close() }()
	text, err := io.ReadAll(io.LimitReader(body, maxManifest))
	if err != nil {
		return m, fmt.Errorf("read %s: %w", b.URL(name), err)
	}
	if err := json.Unmarshal(text, &m); err != nil || len(m.Files) == 0 || slices.ContainsFunc(m.Files, file.invalid) {
		return m, fmt.Errorf("%s is damaged: restore another backup", b.URL(name))
	}
	return m, nil
}

func (b *Bucket) writeManifest(ctx context.Context, backup string, m manifest) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return b.objects.PutObject(ctx, backup+"/"+manifestName, bytes.NewReader(append(text, '\n')), int64(len(text)+1), func(int) {})
}

// invalid reports a name that could lead out of the folder to which a backup is restored.
func (f file) invalid() bool {
	return f.Name == "" || f.Name == "." || !filepath.IsLocal(f.Name) || strings.ContainsAny(f.Name, `/\`)
}

// sum counts and hashes what is written to it.
type sum struct {
	hash hash.Hash
	size int64
}

func newSum() *sum { return &sum{hash: sha256.New()} }

func (s *sum) Write(p []byte) (int, error) {
	s.size += int64(len(p))
	return s.hash.Write(p)
}

func (s *sum) file(name string) file {
	return file{name, s.size, hex.EncodeToString(s.hash.Sum(nil))}
}

// differs says how what was read differs from the manifest.
func (b *Bucket) differs(backup string, read, want file) error {
	url := b.URL(backup + "/" + want.Name)
	switch {
	case read.Size != want.Size:
		return fmt.Errorf("%s is damaged: it has %d bytes, not the %d that were backed up", url, read.Size, want.Size)
	case read.SHA256 != want.SHA256:
		return fmt.Errorf("%s is damaged: its SHA-256 is not that of what was backed up", url)
	}
	return nil
}
