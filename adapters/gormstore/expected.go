package gormstore

import (
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Expected are the tables and indexes that the steps of a component lead to.
type Expected struct {
	Tables  []string
	Indexes []string // those with a name in the steps; keys have theirs from the engine
}

// Expected reads the steps for a dialect. It knows what the steps of this program do to
// tables and indexes, not all of SQL.
func (m Migrations) Expected(d Dialect) (Expected, error) {
	steps, err := fs.Glob(m.FS, path.Join(string(d), "*.sql"))
	if err != nil {
		return Expected{}, err
	}
	slices.Sort(steps) // as goose takes them: they begin with numbers of five digits
	tables := map[string]bool{m.table(): true}
	tableOf := map[string]string{} // by index
	for _, step := range steps {
		text, err := fs.ReadFile(m.FS, step)
		if err != nil {
			return Expected{}, err
		}
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		for _, found := range definition.FindAllStringSubmatch(comment.ReplaceAllString(up, ""), -1) {
			apply(found, tables, tableOf)
		}
	}
	maps.DeleteFunc(tableOf, func(_, table string) bool { return !tables[table] })
	return Expected{slices.Sorted(maps.Keys(tables)), slices.Sorted(maps.Keys(tableOf))}, nil
}

var (
	comment    = regexp.MustCompile(`--[^\n]*`)
	definition = regexp.MustCompile(`(?is)\b(CREATE|DROP|ALTER)\s+(?:UNIQUE\s+|VIRTUAL\s+|UNLOGGED\s+)*(TABLE|INDEX)\s+(?:CONCURRENTLY\s+)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(\w+)(?:\s+ON\s+(\w+)|\s+RENAME\s+TO\s+(\w+))?`)
)

// apply does what one statement, as definition finds it, does to what is there.
func apply(found []string, tables map[string]bool, tableOf map[string]string) {
	what, name, on, next := strings.ToUpper(found[1]+" "+found[2]), found[3], found[4], found[5]
	switch what {
	case "CREATE TABLE":
		tables[name] = true
	case "DROP TABLE":
		delete(tables, name)
		maps.DeleteFunc(tableOf, func(_, table string) bool { return table == name })
	case "CREATE INDEX":
		tableOf[name] = on
	case "DROP INDEX":
		delete(tableOf, name)
	case "ALTER TABLE":
		if next == "" {
			return
		}
		delete(tables, name)
		tables[next] = true
		for index, table := range tableOf {
			if table == name {
				tableOf[index] = next
			}
		}
	case "ALTER INDEX":
		if next != "" {
			tableOf[next] = tableOf[name]
			delete(tableOf, name)
		}
	}
}
