package gormstore

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// Expected are the tables and indexes that a component's migrations make.
type Expected struct {
	Tables  []string
	Indexes []string // those that the migrations name; the engine names those of keys
}

var (
	comment    = regexp.MustCompile(`--[^\n]*`)
	definition = regexp.MustCompile(`\bCREATE (?:UNIQUE |VIRTUAL )?(TABLE|INDEX) (\w+)`)
)

// Expected reads the migration files for a dialect. It understands CREATE alone, because
// no file drops or renames a table or an index.
func (m Migrations) Expected(d Dialect) (Expected, error) {
	files, err := fs.Glob(m.FS, path.Join(string(d), "*.sql"))
	if err != nil {
		return Expected{}, err
	}
	e := Expected{Tables: []string{m.table()}}
	for _, file := range files {
		text, err := fs.ReadFile(m.FS, file)
		if err != nil {
			return Expected{}, err
		}
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		for _, found := range definition.FindAllStringSubmatch(comment.ReplaceAllString(up, ""), -1) {
			if found[1] == "TABLE" {
				e.Tables = append(e.Tables, found[2])
			} else {
				e.Indexes = append(e.Indexes, found[2])
			}
		}
	}
	return e, nil
}
