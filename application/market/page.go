package market

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/octavo-books/octavo/domain/fault"
)

// Page asks for a part of a list.
type Page struct {
	Limit  int    // 1 to MaxLimit; 0 means DefaultLimit
	Cursor Cursor // where the page before ended; empty: from the start
}

// Sizes of a page.
const (
	DefaultLimit = 40
	MaxLimit     = 200
)

// Cursor marks the end of a page. It is opaque to callers and stays right while
// rows are added before it; empty when there is no further page.
type Cursor string

// The refusals of pages.
var (
	ErrLimit  = fault.New(fault.Invalid, "limit_invalid", "The limit must be from 1 to 200.").WithField("limit", "Must be from 1 to 200.")
	ErrCursor = fault.New(fault.Invalid, "cursor_invalid", "The cursor is not one of ours.").WithField("cursor", "Pass on what the Link header gave, or leave it out.")
	ErrSkip   = fault.New(fault.Invalid, "skip_invalid", "The number to skip must not be negative.").WithField("skip", "Must be 0 or more.")
)

// Position is where a page begins: after the row whose sort key is Key and
// whose id is ID. The zero Position is before the first row.
type Position struct{ Key, ID int64 }

// Start reports whether p is before the first row.
func (p Position) Start() bool { return p == Position{} }

func (p Position) cursor() Cursor {
	b := binary.AppendVarint(nil, p.Key)
	return Cursor(base64.RawURLEncoding.EncodeToString(binary.AppendVarint(b, p.ID)))
}

// limit is the size of the page.
func (p Page) limit() (int, error) {
	switch {
	case p.Limit == 0:
		return DefaultLimit, nil
	case p.Limit < 0 || p.Limit > MaxLimit:
		return 0, ErrLimit
	}
	return p.Limit, nil
}

// read takes the page apart.
func (p Page) read() (Position, int, error) {
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
	if i <= 0 || k+i != len(b) || id <= 0 || at.cursor() != p.Cursor {
		return Position{}, 0, ErrCursor
	}
	return at, n, nil
}

// cut splits what was read with one row too many into a page and its cursor.
func cut[T any](rows []T, n int, at func(T) Position) ([]T, Cursor) {
	if len(rows) <= n {
		return rows, ""
	}
	return rows[:n], at(rows[n-1]).cursor()
}
