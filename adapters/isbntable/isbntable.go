// Package isbntable looks up books in a local CSV file of ISBNs:
//
//	isbn,name,authors,edition,year,course
//	978-0-262-03384-8,Introduction to Algorithms,Thomas Cormen; Clifford Stein,3,2009,CSC 172
//
// It reads the file once, to check each line and to index where it begins. A look-up reads one
// line, so a large file needs little memory.
package isbntable

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/octavo-books/octavo/domain/book"
)

// Bounds of a table.
const (
	maxSize    = 256 << 20 // bytes
	maxRows    = 1_000_000
	maxRowSize = 64 << 10 // bytes
)

// Table is an open file of ISBNs.
type Table struct {
	path    string
	file    *os.File
	columns columns
	rows    []row // by ISBN
}

// row says where in the file an ISBN is.
type row struct {
	isbn         uint64
	offset, line uint32
}

// Open opens a file and checks all of it. The error is one line that names the file and the
// line.
func Open(path string) (*Table, error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, err
	}
	t := &Table{path: path, file: file}
	if err := t.index(); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Close closes the file.
func (t *Table) Close() error { return t.file.Close() }

// Len returns the number of ISBNs.
func (t *Table) Len() int { return len(t.rows) }

// index reads the whole file.
func (t *Table) index() error {
	if info, err := t.file.Stat(); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	} else if info.Size() > maxSize {
		return fmt.Errorf("the file is larger than %d MiB", maxSize>>20)
	}
	start, err := t.skipByteOrderMark()
	if err != nil {
		return err
	}
	r := newReader(bufio.NewReaderSize(io.NewSectionReader(t.file, start, maxSize), 1<<16))
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("the file is empty: its first line must name the columns, such as isbn,name,authors,edition,year,course")
	}
	if err == nil {
		t.columns, err = columnsOf(header)
	}
	if err != nil {
		return explain(err)
	}
	if err := t.readRows(r, start); err != nil {
		return err
	}
	return t.sort()
}

func newReader(from io.Reader) *csv.Reader {
	r := csv.NewReader(from)
	r.ReuseRecord = true
	return r
}

// skipByteOrderMark returns where the text begins: spreadsheets write a mark before it.
func (t *Table) skipByteOrderMark() (int64, error) {
	const mark = "\ufeff"
	b := make([]byte, len(mark))
	n, err := t.file.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if string(b[:n]) == mark {
		return int64(n), nil
	}
	return 0, nil
}

func (t *Table) readRows(r *csv.Reader, start int64) error {
	for {
		offset := r.InputOffset()
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return explain(err)
		}
		line, _ := r.FieldPos(0)
		isbn, _, err := t.columns.parse(fields)
		switch {
		case err != nil:
			return fmt.Errorf("line %d: %w", line, err)
		case r.InputOffset()-offset > maxRowSize:
			return fmt.Errorf("line %d: the line is longer than %d KiB", line, maxRowSize>>10)
		case len(t.rows) == maxRows:
			return fmt.Errorf("line %d: more than %d lines", line, maxRows)
		}
		t.rows = append(t.rows, row{number(isbn), uint32(start + offset), uint32(line)}) // maxSize is below 4 GiB
	}
}

// sort sorts the rows and refuses an ISBN that is in two.
func (t *Table) sort() error {
	slices.SortFunc(t.rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.isbn, b.isbn), cmp.Compare(a.line, b.line)) })
	for i := 1; i < len(t.rows); i++ {
		if a, b := t.rows[i-1], t.rows[i]; a.isbn == b.isbn {
			return fmt.Errorf("line %d: the ISBN %d is also in line %d", b.line, b.isbn, a.line)
		}
	}
	t.rows = slices.Clip(t.rows)
	return nil
}

// FindISBN reads what the table says of an ISBN; false if it is not in the table.
func (t *Table) FindISBN(isbn book.ISBN) (book.Suggestion, bool, error) {
	i, found := slices.BinarySearchFunc(t.rows, number(isbn), func(r row, n uint64) int { return cmp.Compare(r.isbn, n) })
	if !found {
		return book.Suggestion{}, false, nil
	}
	fields, err := newReader(io.NewSectionReader(t.file, int64(t.rows[i].offset), maxRowSize)).Read()
	if err == nil {
		var have book.ISBN
		var s book.Suggestion
		if have, s, err = t.columns.parse(fields); err == nil && have == isbn {
			return s, true, nil
		}
	}
	return book.Suggestion{}, false, fmt.Errorf("%s: line %d changed after the program started (restart it, and replace the file rather than write into it): %w",
		t.path, t.rows[i].line, cmp.Or(err, errors.New("it has another ISBN now")))
}

// number is an ISBN as a number. All of its characters are digits.
func number(isbn book.ISBN) uint64 {
	n, _ := strconv.ParseUint(string(isbn), 10, 64)
	return n
}

// explain shortens an error of the csv package.
func explain(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("line %d: %w", parse.Line, parse.Err)
	}
	return err
}
