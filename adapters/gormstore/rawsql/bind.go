package rawsql

import (
	"strconv"
	"strings"
	"sync"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// boundStatements caches the statements of each dialect.
var boundStatements = map[gormstore.Dialect]*sync.Map{gormstore.SQLite: {}, gormstore.Postgres: {}}

// Bind converts the placeholders of a statement for the dialect: Postgres numbers them.
// SQLite uses the value of a bare parameter after LIMIT in its plan and therefore plans
// again whenever one is bound, which an expression avoids. A statement must not contain
// another question mark. Bind caches every statement, so there must be few.
func Bind(d gormstore.Dialect, statement string) string {
	if known, ok := boundStatements[d].Load(statement); ok {
		return known.(string)
	}
	s := limitRewriter.Replace(statement)
	if d == gormstore.Postgres {
		s = numbered(statement)
	}
	boundStatements[d].Store(statement, s)
	return s
}

var limitRewriter = strings.NewReplacer("LIMIT ?", "LIMIT ? + 0", "OFFSET ?", "OFFSET ? + 0")

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
