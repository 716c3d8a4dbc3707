package rawsql

import (
	"strconv"
	"strings"
	"sync"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// bound holds statements as each dialect wants them.
var bound = map[gormstore.Dialect]*sync.Map{gormstore.SQLite: {}, gormstore.Postgres: {}}

// Bind writes a statement's placeholders as the dialect wants them: numbered on Postgres.
// SQLite looks at the value of a bare parameter behind LIMIT when it plans, and therefore
// plans anew whenever one is bound; an expression keeps it from that. A statement may
// have no question mark elsewhere. Each statement is kept, so there must be few.
func Bind(d gormstore.Dialect, statement string) string {
	if known, ok := bound[d].Load(statement); ok {
		return known.(string)
	}
	s := unpeeked.Replace(statement)
	if d == gormstore.Postgres {
		s = numbered(statement)
	}
	bound[d].Store(statement, s)
	return s
}

var unpeeked = strings.NewReplacer("LIMIT ?", "LIMIT ? + 0", "OFFSET ?", "OFFSET ? + 0")

func numbered(statement string) string {
	var b strings.Builder
	n := 0
	for _, r := range statement {
		if r != '?' {
			b.WriteRune(r)
			continue
		}
		n++
		b.WriteString("$" + strconv.Itoa(n))
	}
	return b.String()
}
