// Package archive moves the whole content of the databases and the photos to a file and back: between
// engines, between machines and from an older schema to a newer one. The format is open: see
// docs/operations/archive.md.
package archive

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The names in an archive, in their order.
const (
	headerName   = "octavo.json"
	tablesFolder = "tables/"
	photosFolder = "photos/"
	manifestName = "manifest.json"
)

// What is in every header.
const (
	format        = "octavo-archive"
	formatVersion = 1
)

// The bounds of what is kept in memory.
const (
	partSize    = 1 << 20 // a part of a table ends after so many bytes,
	partRows    = 5_000   // or so many rows
	maxPart     = 64 << 20
	maxDocument = 16 << 20
	maxPicture  = 64 << 20
)

// ErrDamaged means that a file is not an archive, or no longer the one that was written.
var ErrDamaged = errors.New("the archive is damaged")

// ErrForeign means that a file is something else.
var ErrForeign = errors.New("this is no archive that octavo export has written")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// Header is the first file of an archive.
type Header struct {
	Format     string            `json:"format"`
	Version    int               `json:"version"` // of the format
	Program    string            `json:"program"` // that wrote it
	CreatedAt  time.Time         `json:"createdAt"`
	Engine     string            `json:"engine"`
	Anonymised bool              `json:"anonymised"`
	Schema     map[string]int64  `json:"schema"` // the version of each component
	Keys       map[string]string `json:"keys"`   // the fingerprints of the keys, by their settings
	Tables     []Table           `json:"tables"` // in an order in which rows refer only to earlier ones
}

// Table is a table of the database.
type Table struct {
	Name      string   `json:"name"`
	Component string   `json:"component"`
	Columns   []Column `json:"columns"` // in the order of their names
	order     []string // the columns by which its rows are sorted
}

// Column is a column of a table.
type Column struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
}

// Type says how the values of a column are written.
type Type string

// The types. Any value may be null.
const (
	Integer Type = "integer" // beyond 2^53 a string, because many readers of JSON would round it
	Text    Type = "text"
	Bytes   Type = "bytes" // in base64
)

// Manifest is the last file of an archive.
type Manifest struct {
	Tables map[string]Total `json:"tables"` // of those that have rows
	Photos Total            `json:"photos"`
	Sealed map[string]int64 `json:"sealed"` // values that only the keys of the header open, by their tables
}

// Total is the sum of all parts of a table, one after another, or of all photos.
type Total struct {
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"`
}

// Rows returns how many rows the archive has.
func (m Manifest) Rows() (n int64) {
	for _, t := range m.Tables {
		n += t.Rows
	}
	return n
}

var identifier = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// check refuses a header that this program cannot read.
func (h Header) check() error {
	switch {
	case h.Format != format:
		return damaged("it does not begin as an archive of Octavo")
	case h.Version != formatVersion:
		return fmt.Errorf("the archive has version %d of the format, and this program reads version %d: use the program that wrote it",
			h.Version, formatVersion)
	}
	for _, t := range h.Tables {
		if !identifier.MatchString(t.Name) || len(t.Columns) == 0 {
			return damaged("the table %q", t.Name)
		}
		if _, known := h.Schema[t.Component]; !known {
			return damaged("the table %s has no component", t.Name)
		}
		for _, c := range t.Columns {
			if !identifier.MatchString(c.Name) || c.Type != Integer && c.Type != Text && c.Type != Bytes {
				return damaged("the column %q of the table %s", c.Name, t.Name)
			}
		}
	}
	return nil
}

// table returns a table of the header.
func (h Header) table(name string) (Table, bool) {
	for _, t := range h.Tables {
		if t.Name == name {
			return t, true
		}
	}
	return Table{}, false
}

// partName is the name of a part of a table; the first one is 1.
func partName(table string, n int) string {
	return tablesFolder + table + fmt.Sprintf("/%06d.jsonl", n)
}

// tableOfPart returns the table to which a part belongs.
func tableOfPart(name string) (table string, ok bool) {
	table, number, found := strings.Cut(strings.TrimPrefix(name, tablesFolder), "/")
	number, isLines := strings.CutSuffix(number, ".jsonl")
	_, err := strconv.Atoi(number)
	return table, found && isLines && err == nil && strings.HasPrefix(name, tablesFolder)
}

// place returns which of the columns has this name; -1 if none has.
func (t Table) place(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}
