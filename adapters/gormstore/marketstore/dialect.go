package marketstore

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

func (c conn) postgres() bool { return c.dialect == gormstore.Postgres }

// bound holds statements as the dialects want them.
var bound [2]sync.Map

// bind writes a statement's parameters as the dialect wants them: numbered on
// Postgres. SQLite looks at the value of a bare parameter behind LIMIT when it
// plans, and therefore plans anew whenever one is bound; an expression keeps it
// from that. No statement here has a question mark elsewhere.
func (c conn) bind(statement string) string {
	known, rewrite := &bound[0], unpeeked
	if c.postgres() {
		known, rewrite = &bound[1], number
	}
	if s, ok := known.Load(statement); ok {
		return s.(string)
	}
	s := rewrite(statement)
	known.Store(statement, s)
	return s
}

func unpeeked(statement string) string {
	return strings.NewReplacer("LIMIT ?", "LIMIT ? + 0", "OFFSET ?", "OFFSET ? + 0").Replace(statement)
}

func number(statement string) string {
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

// held ends a query whose rows nobody else may change until the step ends. On
// SQLite a step is alone anyway. It does not collide with references to the row.
func (c conn) held() string {
	if c.postgres() {
		return " FOR NO KEY UPDATE"
	}
	return ""
}

// shared ends a query whose rows others may read this way, too, but not change until the
// step ends.
func (c conn) shared() string {
	if c.postgres() {
		return " FOR SHARE"
	}
	return ""
}

// deleted ends a query whose rows the step deletes.
func (c conn) deleted() string {
	if c.postgres() {
		return " FOR UPDATE"
	}
	return ""
}

// existing ends a query whose rows nobody else may delete until the step ends.
func (c conn) existing() string {
	if c.postgres() {
		return " FOR KEY SHARE"
	}
	return ""
}

// skipLocked ends a query for a row that no other step is at.
func (c conn) skipLocked() string {
	if c.postgres() {
		return " FOR UPDATE SKIP LOCKED"
	}
	return ""
}

// itsBook joins the book b of each row of h, and itsSeller its seller u, one by one and in
// this order, whatever the planner takes for likely.
func (c conn) itsBook() string {
	if c.postgres() {
		return " CROSS JOIN LATERAL (SELECT * FROM books WHERE books.id = h.id OFFSET 0) AS b"
	}
	return " CROSS JOIN books AS b ON b.id = h.id"
}

func (c conn) itsSeller() string {
	if c.postgres() {
		return " CROSS JOIN LATERAL (SELECT first_name FROM users WHERE users.id = b.seller_id OFFSET 0) AS u"
	}
	return " CROSS JOIN users AS u ON u.id = b.seller_id"
}

// busiest selects the courses of which something is sold, and how much: on SQLite
// one row each, in an index by n; on Postgres several.
func (c conn) busiest() string {
	if c.postgres() {
		return "SELECT word, CAST(sum(n) AS BIGINT) AS sold FROM tallies WHERE kind = 8 GROUP BY word HAVING sum(n) > 0"
	}
	return "SELECT word, n AS sold FROM tallies INDEXED BY tallies_courses WHERE kind = 8 AND n > 0"
}

// under is where the entries k of request_keys under some keys are. For IN SQLite would
// make a table of the keys first; Postgres might walk along all entries without it.
func (c conn) under(keys []string) (from string, args []any) {
	marks, args := list(keys)
	if c.postgres() {
		return "request_keys k WHERE k.key IN (" + marks + ")", args
	}
	clear(args[len(keys):]) // nothing is under NULL
	return "(VALUES (" + strings.ReplaceAll(marks, ", ", "), (") + ")) AS v CROSS JOIN request_keys k WHERE k.key = v.column1", args
}

// word is that of tallies t as columns are collated, so that their index serves.
func (c conn) word() string {
	if c.postgres() {
		return `t.word COLLATE "default"`
	}
	return "t.word"
}

// lock lets steps that name the same thing come one after the other. On SQLite a step
// is alone anyway.
func (c conn) lock(ctx context.Context, name string) error {
	if !c.postgres() {
		return nil
	}
	_, err := c.exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name)
	return err
}

// guard lets a book and a request that share a key wait for each other on
// Postgres, where two steps that overlap do not see what the other has added:
// those of one kind pass together, and a lock is held until its step ends. All
// steps take their locks in the same order. On SQLite there is one writer.
func (c conn) guard(ctx context.Context, posting bool, keys []string) error {
	if !c.postgres() || len(keys) == 0 {
		return nil
	}
	lock := "pg_advisory_xact_lock"
	if posting {
		lock = "pg_advisory_xact_lock_shared"
	}
	marks, args := list(keys)
	_, err := c.exec(ctx, "SELECT "+lock+"(h) FROM (SELECT DISTINCT hashtextextended(k, 0) AS h FROM unnest(ARRAY["+marks+"]::text[]) AS k ORDER BY h) AS ordered", args...)
	return err
}
