// Package openlibrary keeps what the dumps of Open Library say of ISBNs in a SQLite file. A dump is a text, packed by
// gzip or not, of lines with tabs: type, key, revision, time, and the record as JSON; see https://openlibrary.org/developers/dumps.
package openlibrary

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/text"
)

// maxLine bounds a record. Longer ones are left out.
const maxLine = 1 << 20

// begins is how every dump begins.
const begins = "/type/"

var gzipMagic = []byte{0x1f, 0x8b}

// IsDump reports whether a file is a dump.
func IsDump(path string) (bool, error) {
	d, err := openDump(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = d.file.Close() }()
	start, err := d.lines.Peek(len(begins))
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	return string(start) == begins, err
}

// dump is an open dump.
type dump struct {
	file  *os.File
	size  int64
	read  int64 // of the file
	lines *bufio.Reader
}

func openDump(path string) (*dump, error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, err
	}
	d := &dump{file: file}
	info, err := file.Stat()
	if err == nil {
		d.size = info.Size()
		packed := bufio.NewReaderSize(d, 1<<18)
		d.lines = packed
		if magic, _ := packed.Peek(len(gzipMagic)); bytes.Equal(magic, gzipMagic) {
			var unpacked *gzip.Reader
			if unpacked, err = gzip.NewReader(packed); err == nil {
				d.lines = bufio.NewReaderSize(unpacked, 1<<18)
			}
		}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return d, nil
}

// Read counts what is read of the file.
func (d *dump) Read(p []byte) (int, error) {
	n, err := d.file.Read(p)
	d.read += int64(n)
	return n, err
}

// next returns the next line; io.EOF after the last. A line that is too long is empty.
func (d *dump) next(line []byte) ([]byte, error) {
	line = line[:0]
	for tooLong := false; ; {
		part, more, err := d.lines.ReadLine()
		if err != nil {
			return nil, err
		}
		if tooLong = tooLong || len(line)+len(part) > maxLine; !tooLong {
			line = append(line, part...)
		} else {
			line = line[:0]
		}
		if !more {
			return line, nil
		}
	}
}

// each calls do with type, key and record of every line.
func (d *dump) each(ctx context.Context, do func(kind, key string, record []byte) error) error {
	line := make([]byte, 0, 1<<16)
	for {
		var err error
		if line, err = d.next(line); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		fields := bytes.SplitN(line, []byte{'\t'}, 5)
		if len(fields) < 5 {
			continue
		}
		if err := errors.Join(ctx.Err(), do(string(fields[0]), string(fields[1]), fields[4])); err != nil {
			return err
		}
	}
}

// number is that of a key such as /authors/OL26320A; 0 if it has none.
func number(key string) int64 {
	_, id, _ := strings.Cut(key, "/OL")
	n, _ := strconv.ParseInt(strings.TrimRight(id, "AMW"), 10, 64)
	return n
}

// edition is the part of a record that is of use.
type edition struct {
	Title    string   `json:"title"`
	Subtitle string   `json:"subtitle"`
	Edition  string   `json:"edition_name"`
	ISBN10   []string `json:"isbn_10"`
	ISBN13   []string `json:"isbn_13"`
	By       string   `json:"by_statement"`
	Date     any      `json:"publish_date"` // as it stands in the book; a text but in a few records
	Authors  []struct {
		Key string `json:"key"`
	} `json:"authors"`
}

// parseEdition returns the ISBNs of an edition and what is known of it, without its authors; none if no book could be
// posted with it.
func parseEdition(record []byte) (e edition, isbns []book.ISBN, s book.Suggestion) {
	if json.Unmarshal(record, &e) != nil {
		return e, nil, s
	}
	s.Name = pasted.Line(e.Title)
	if subtitle := pasted.Line(e.Subtitle); subtitle != "" && utf8.RuneCountInString(s.Name+subtitle)+2 <= book.MaxName {
		s.Name += ": " + subtitle
	}
	if n, ok := pasted.Edition(e.Edition); ok && n >= 1 && n <= book.MaxEdition {
		s.Edition = n
	}
	if e.Date != nil {
		s.Year, _ = pasted.Year(fmt.Sprint(e.Date))
	}
	if s.Check() != nil {
		return e, nil, s
	}
	seen := map[book.ISBN]bool{}
	for _, text := range append(e.ISBN13, e.ISBN10...) {
		if isbn, ok := book.ParseISBN(text); ok && !seen[isbn] {
			seen[isbn] = true
			isbns = append(isbns, isbn)
		}
	}
	return e, isbns, s
}

// joined returns as many names as fit.
func joined(names []string) string {
	all := ""
	for _, name := range names {
		more := all
		if all != "" {
			more += ", "
		}
		more += pasted.Line(name)
		if !text.FitsLine(more, book.MaxAuthors) {
			break
		}
		all = more
	}
	return all
}
