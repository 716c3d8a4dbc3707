package gormstore

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// Expected has the tables and indexes that a component's migrations create.
type Expected struct {
	Tables  []string
	Indexes []string // only those that the migrations name, not those of keys
}

var (
	commentLine     = regexp.MustCompile(`--[^\n]*`)
	createStatement = regexp.MustCompile(`\bCREATE (?:UNIQUE |VIRTUAL )?(TABLE|INDEX) (\w+)`)
)

// Expected parses the migration files for a dialect. It recognises only CREATE, because
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
		for _, found := range createStatement.FindAllStringSubmatch(commentLine.ReplaceAllString(up, ""), -1) {
			if found[1] == "TABLE" {
				e.Tables = append(e.Tables, found[2])
			} else {
				e.Indexes = append(e.Indexes, found[2])
			}
		}
	}
	return e, nil
}
