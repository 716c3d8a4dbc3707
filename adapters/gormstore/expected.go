package gormstore

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Expected has the tables and indexes that a component's migrations create.
type Expected struct {
	Tables  []string
	Indexes []string // only those that the migrations name, not those of keys
}

var (
	commentLine     = regexp.MustCompile(`--[^\n]*`)
	createStatement = regexp.MustCompile(`\b(?:CREATE (?:UNIQUE |VIRTUAL )?(TABLE|INDEX)|DROP (INDEX|TABLE))(?: CONCURRENTLY)?(?: IF (?:NOT )?EXISTS)? (\w+)`)
)

// Expected parses the migration files for a dialect. It recognises what creates or drops a table or an index.
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
			list, name := &e.Tables, found[3]
			if found[1] == "INDEX" {
				list = &e.Indexes
			}
			switch found[2] {
			case "INDEX":
				e.Indexes = slices.DeleteFunc(e.Indexes, func(i string) bool { return i == name })
				continue
			case "TABLE":
				e.Tables = slices.DeleteFunc(e.Tables, func(t string) bool { return t == name })
				continue
			}
			if !slices.Contains(*list, name) {
				*list = append(*list, name)
			}
		}
	}
	return e, nil
}
