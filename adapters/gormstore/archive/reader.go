package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Archive is an archive whose sums are right.
type Archive struct {
	Header   Header
	Manifest Manifest
	id       string // tells it from any other
	from     io.ReadSeeker
}

// Open reads a whole archive and compares every sum, before anything is imported.
func Open(ctx context.Context, from io.ReadSeeker, report func(what string, done, of int64)) (*Archive, error) {
	a := &Archive{from: from}
	found := map[string]*sum{}
	photos, parts, ended := newSum(), map[string]int{}, false
	whole := sha256.New()
	err := a.each(ctx, func(name string, size int64, r io.Reader) error {
		if ended {
			return damaged("%s follows its end", name)
		}
		switch table, isPart := tableOfPart(name); {
		case name == headerName && a.id == "":
			a.id = "read"
			return readDocument(io.TeeReader(r, whole), size, &a.Header, func() error { return a.Header.check() })
		case a.id == "":
			return fmt.Errorf("%w: it begins with %q", ErrForeign, name)
		case name == manifestName:
			ended = true
			return readDocument(io.TeeReader(r, whole), size, &a.Manifest, nil)
		case strings.HasPrefix(name, photosFolder):
			report("checking pictures", photos.rows, 0)
			return photos.read(r, func([]byte) int64 { return 0 }, 1)
		case isPart && size <= maxPart:
			parts[table]++
			report("checking "+table, int64(parts[table]), 0)
			return a.sumPart(found, table, name, parts[table], r)
		}
		return damaged("%s is nothing that an archive has", name)
	})
	switch {
	case err != nil:
		return nil, err
	case !ended:
		return nil, damaged("it has no end")
	}
	a.id = hex.EncodeToString(whole.Sum(nil))
	return a, a.compare(found, photos)
}

func (a *Archive) sumPart(found map[string]*sum, table, name string, n int, r io.Reader) error {
	if _, known := a.Header.table(table); !known || name != partName(table, n) {
		return damaged("%s is not where it belongs", name)
	}
	if found[table] == nil {
		s := newSum()
		found[table] = &s
	}
	return found[table].read(r, func(some []byte) int64 { return int64(bytes.Count(some, []byte{'\n'})) }, 0)
}

// read adds content and counts its rows.
func (s *sum) read(r io.Reader, count func([]byte) int64, rows int64) error {
	buffer := make([]byte, 64<<10)
	for {
		n, err := r.Read(buffer)
		rows += count(buffer[:n])
		s.add(0, buffer[:n])
		if err != nil {
			s.add(rows, nil)
			return atEnd(err)
		}
	}
}

func atEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// compare compares the sums with the manifest.
func (a *Archive) compare(found map[string]*sum, photos sum) error {
	for _, t := range a.Header.Tables {
		var got Total
		if s := found[t.Name]; s != nil {
			got = s.total()
		}
		if want := a.Manifest.Tables[t.Name]; got != want {
			return damaged("it has %d rows of %s with the sum %s, not %d with %s", got.Rows, t.Name, got.SHA256, want.Rows, want.SHA256)
		}
	}
	if got := photos.total(); got != a.Manifest.Photos {
		return damaged(
			"it has %d pictures with the sum %s, not %d with %s", got.Rows, got.SHA256, a.Manifest.Photos.Rows, a.Manifest.Photos.SHA256,
		)
	}
	return nil
}

// each calls do with every file of the archive.
func (a *Archive) each(ctx context.Context, do func(name string, size int64, r io.Reader) error) error {
	if _, err := a.from.Seek(0, io.SeekStart); err != nil {
		return err
	}
	unpacked, err := gzip.NewReader(bufio.NewReaderSize(a.from, 256<<10))
	if err != nil {
		return fmt.Errorf("%w: it is not compressed by gzip", ErrForeign)
	}
	for files := tar.NewReader(unpacked); ; {
		file, err := files.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, tar.ErrHeader) && a.id == "":
			return fmt.Errorf("%w: what is compressed in it is no tar file", ErrForeign)
		case err != nil:
			return damaged("%v", err)
		case file.Typeflag != tar.TypeReg:
			return damaged("%s is no file", file.Name)
		}
		if err := errors.Join(ctx.Err(), do(file.Name, file.Size, files)); err != nil {
			return unpacking(err)
		}
	}
}

// unpacking marks the errors of a file that was cut or changed.
func unpacking(err error) error {
	var corrupt flate.CorruptInputError
	if errors.As(err, &corrupt) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) {
		return damaged("%v", err)
	}
	return err
}

func readDocument(r io.Reader, size int64, to any, check func() error) error {
	if size > maxDocument {
		return damaged("a document of %d bytes", size)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, to); err != nil {
		return damaged("%v", err)
	}
	if check == nil {
		return nil
	}
	return check()
}

// rowReader reads the rows of a part.
type rowReader struct {
	lines *bufio.Reader
	table Table
	part  string
	n     int
}

// next returns the next row; nil at the end.
func (r *rowReader) next() ([]any, error) {
	line, err := r.lines.ReadBytes('\n')
	if len(line) == 0 {
		return nil, atEnd(err)
	}
	r.n++
	values, err := parseRow(line, r.table.Columns)
	if err != nil {
		return nil, damaged("line %d of %s: %v", r.n, r.part, err)
	}
	return values, nil
}

// components returns the components of the archive.
func (h Header) components() []string { return slices.Sorted(maps.Keys(h.Schema)) }
