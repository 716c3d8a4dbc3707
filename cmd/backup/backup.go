// Package backup keeps backups in a bucket. Each is a folder that is named for the time at which
// it began. Its manifest lists the files with their sums, is written last, and only a folder
// with a manifest is a backup: others that list the bucket see it whole or not at all.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/adapters/blobs3"
)

// nameLayout sorts by time and has no colon, which file names on Windows cannot have.
const nameLayout = "2006-01-02T150405Z"

// Bucket holds the backups of one installation below its prefix.
type Bucket struct {
	objects *blobs3.Objects
	report  Report
}

// Report shows progress in KB; an of of 0 means that the total is unknown.
type Report func(what string, done, of int64)

// Open returns the backups in a bucket. It does not connect.
func Open(c blobs3.Config, report Report) (*Bucket, error) {
	objects, err := blobs3.NewObjects(c)
	return &Bucket{objects, report}, err
}

// URL names a backup, or a file in it, for messages.
func (b *Bucket) URL(name string) string { return b.objects.URL(name) }

// Backup is an entry of the list of backups.
type Backup struct {
	Name string
	Size int64 // of all files together
}

// List returns the complete backups, oldest first.
func (b *Bucket) List(ctx context.Context) (all []Backup, err error) {
	folders, err := b.folders(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		if f := folders[name]; f.complete() {
			all = append(all, Backup{name, f.size()})
		}
	}
	return all, nil
}

// Find returns the name of the newest complete backup, or checks that the named one is complete.
func (b *Bucket) Find(ctx context.Context, name string) (string, error) {
	all, err := b.List(ctx)
	switch {
	case err != nil:
		return "", err
	case len(all) == 0:
		return "", fmt.Errorf("there is no complete backup at %s", b.URL(""))
	case name == "":
		return all[len(all)-1].Name, nil
	case !slices.ContainsFunc(all, func(one Backup) bool { return one.Name == name }):
		return "", fmt.Errorf("there is no complete backup %s: the newest is %s", b.URL(name), all[len(all)-1].Name)
	}
	return name, nil
}

// folder is a backup in the bucket, which may be incomplete.
type folder []blobs3.Object

func (f folder) complete() bool {
	return slices.ContainsFunc(f, func(o blobs3.Object) bool { return strings.HasSuffix(o.Name, "/"+manifestName) })
}

func (f folder) size() (bytes int64) {
	for _, o := range f {
		bytes += o.Size
	}
	return bytes
}

// newest is the time at which something was last added.
func (f folder) newest() (last time.Time) {
	for _, o := range f {
		if o.Modified.After(last) {
			last = o.Modified
		}
	}
	return last
}

// folders returns all backups by name. Objects that belong to none are not ours.
func (b *Bucket) folders(ctx context.Context) (map[string]folder, error) {
	objects, err := b.objects.ListObjects(ctx)
	if err != nil {
		return nil, err
	}
	all := map[string]folder{}
	for _, o := range objects {
		name, _, below := strings.Cut(o.Name, "/")
		if _, err := time.Parse(nameLayout, name); below && err == nil {
			all[name] = append(all[name], o)
		}
	}
	return all, nil
}

// open opens a file of a backup and shows how much of it was read.
func (b *Bucket) open(ctx context.Context, backup, doing string, f file) (io.ReadCloser, error) {
	body, err := b.objects.OpenObject(ctx, backup+"/"+f.Name)
	if errors.Is(err, blobs3.ErrObjectNotFound) {
		return nil, fmt.Errorf("%s is missing in the bucket", b.URL(backup+"/"+f.Name))
	}
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.TeeReader(body, b.meter(doing+" "+f.Name, f.Size)), body}, nil
}

// meter reports how many bytes were passed on, from several goroutines.
type meter struct {
	what   string
	done   atomic.Int64
	of     int64
	report Report
}

func (b *Bucket) meter(what string, of int64) *meter {
	m := &meter{what: what + ", in KB", of: of, report: b.report}
	m.add(0)
	return m
}

func (m *meter) Write(p []byte) (int, error) {
	m.add(len(p))
	return len(p), nil
}

func (m *meter) add(bytes int) { m.report(m.what, m.done.Add(int64(bytes))>>10, m.of>>10) }
