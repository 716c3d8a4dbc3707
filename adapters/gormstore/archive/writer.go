package archive

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"time"
)

// writer writes an archive: a tar file that is compressed by gzip.
type writer struct {
	packed  *gzip.Writer
	archive *tar.Writer
	at      time.Time
}

func newWriter(to io.Writer, at time.Time) *writer {
	packed, _ := gzip.NewWriterLevel(to, gzip.BestSpeed) // a valid level
	return &writer{packed, tar.NewWriter(packed), at}
}

func (w *writer) add(name string, content []byte) error {
	err := w.archive.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o600, ModTime: w.at.Truncate(time.Second),
	})
	if err == nil {
		_, err = w.archive.Write(content)
	}
	return err
}

func (w *writer) addDocument(name string, document any) error {
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	return w.add(name, append(text, '\n'))
}

func (w *writer) close() error { return errors.Join(w.archive.Close(), w.packed.Close()) }

// sum sums what is written to a table or of the photos.
type sum struct {
	hash hash.Hash
	rows int64
}

func newSum() sum { return sum{hash: sha256.New()} }

func (s *sum) add(rows int64, content []byte) {
	s.rows += rows
	_, _ = s.hash.Write(content) // never fails
}

func (s *sum) total() Total { return Total{s.rows, hex.EncodeToString(s.hash.Sum(nil))} }

// tableWriter writes the rows of a table in parts.
type tableWriter struct {
	to    *writer
	table Table
	sum   sum
	part  []byte
	rows  int64 // of the part
	parts int
}

func (t *tableWriter) add(values []any) error {
	t.part = appendRow(t.part, t.table.Columns, values)
	t.rows++
	if len(t.part) < partSize && t.rows < partRows {
		return nil
	}
	return t.flush()
}

func (t *tableWriter) flush() error {
	if t.rows == 0 {
		return nil
	}
	t.parts++
	t.sum.add(t.rows, t.part)
	err := t.to.add(partName(t.table.Name, t.parts), t.part)
	t.part, t.rows = t.part[:0], 0
	return err
}
