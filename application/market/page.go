package market

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/octavo-books/octavo/domain/fault"
)

// Page selects a part of a list.
type Page struct {
	Limit  int    // 1 to MaxLimit; 0 means DefaultLimit
	Cursor Cursor // end of the page before; empty: start of the list
}

// Sizes of a page.
const (
	DefaultLimit = 40
	MaxLimit     = 200
)

// Cursor marks the end of a page, for keyset pagination. It is opaque to callers and
// stays valid while rows are added before it. It is empty on the last page.
type Cursor string

// The errors of pages.
var (
	ErrLimit  = fault.New(fault.Invalid, "limit_invalid", "The limit must be from 1 to 200.").WithField("limit", "Must be from 1 to 200.")
	ErrCursor = fault.New(
		fault.Invalid, "cursor_invalid", "The cursor is invalid.",
	).WithField("cursor", "Use the cursor from the Link header, or none.")
	ErrSkip = fault.New(fault.Invalid, "skip_invalid", "The number to skip must not be negative.").WithField("skip", "Must be 0 or more.")
)

// Position is where a page begins: after the row with this sort key and id. The zero
// Position is before the first row.
type Position struct{ Key, ID int64 }

// Start reports whether p is before the first row.
func (p Position) Start() bool { return p == Position{} }

// Cursor returns the cursor of a page that ends there.
func (p Position) Cursor() Cursor {
	b := binary.AppendVarint(nil, p.Key)
	return Cursor(base64.RawURLEncoding.EncodeToString(binary.AppendVarint(b, p.ID)))
}

// limit returns the validated size of the page.
func (p Page) limit() (int, error) {
	switch {
	case p.Limit == 0:
		return DefaultLimit, nil
	case p.Limit < 0 || p.Limit > MaxLimit:
		return 0, ErrLimit
	}
	return p.Limit, nil
}

// Read validates the page and decodes its cursor. It accepts only canonical encodings.
func (p Page) Read() (Position, int, error) {
	n, err := p.limit()
	if err != nil || p.Cursor == "" {
		return Position{}, n, err
	}
	b, err := base64.RawURLEncoding.DecodeString(string(p.Cursor))
	if err != nil {
		return Position{}, 0, ErrCursor
	}
	key, k := binary.Varint(b)
	if k <= 0 {
		return Position{}, 0, ErrCursor
	}
	id, i := binary.Varint(b[k:])
	at := Position{Key: key, ID: id}
	if i <= 0 || k+i != len(b) || id <= 0 || at.Cursor() != p.Cursor {
		return Position{}, 0, ErrCursor
	}
	return at, n, nil
}

// Cut returns the first n rows and a cursor after them. The caller reads n+1 rows: only if
// there are more than n is there another page.
func Cut[T any](rows []T, n int, at func(T) Position) ([]T, Cursor) {
	if len(rows) <= n {
		return rows, ""
	}
	return rows[:n], at(rows[n-1]).Cursor()
}

// List reads a page of a list in the order of IDs: read returns at most n rows after one of them, and
// id tells the ID of a row.
func List[T any, ID ~int64](p Page, id func(T) ID, read func(after ID, n int) ([]T, error)) ([]T, Cursor, error) {
	at, n, err := p.Read()
	if err != nil {
		return nil, "", err
	}
	rows, err := read(ID(at.ID), n+1)
	if err != nil {
		return nil, "", err
	}
	rows, next := Cut(rows, n, func(row T) Position { return Position{ID: int64(id(row))} })
	return rows, next, nil
}
