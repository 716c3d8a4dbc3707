package findingstore

import (
	"context"
	"slices"
	"sync"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
)

// vocabulary stores terms, which are never deleted. It caches those that are stored: a
// catalogue repeats a few thousand words.
type vocabulary struct {
	mu    sync.Mutex
	known map[string]bool
}

// maxRemembered bounds the cache to one or two megabytes.
const maxRemembered = 20_000

// unknown removes the terms that are known to be stored.
func (v *vocabulary) unknown(terms []string) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.DeleteFunc(terms, func(t string) bool { return v.known[t] })
}

func (v *vocabulary) remember(terms []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil || len(v.known)+len(terms) > maxRemembered {
		v.known = map[string]bool{}
	}
	for _, t := range terms {
		v.known[t] = true
	}
}

const onceOnly = " ON CONFLICT DO NOTHING"

// spelledTerm is a term under one of its spellings.
type spelledTerm struct{ spelling, term string }

func (s spelledTerm) values() []any { return []any{s.spelling, s.term} }

const insertSpellings = "INSERT INTO spellings (spelling, term) VALUES "

// learn stores new terms, in byte order so that two transactions with the same terms do not
// deadlock.
func (v *vocabulary) learn(ctx context.Context, c marketrows.Handle, terms []string) error {
	slices.Sort(terms)
	terms = v.unknown(slices.Compact(terms))
	var added []string
	var spellings []spelledTerm
	for some := range slices.Chunk(terms, rawsql.RowsPerStatement) {
		stored, err := findTerms(ctx, c, some)
		if err != nil {
			return err
		}
		for _, t := range some {
			if slices.Contains(stored, t) {
				continue
			}
			added = append(added, t)
			for _, s := range book.SpellingsOf(t) {
				spellings = append(spellings, spelledTerm{s, t})
			}
		}
	}
	err := marketrows.Insert(ctx, c, "INSERT INTO terms (term) VALUES ", added, func(t string) []any { return []any{t} }, onceOnly)
	if err == nil {
		err = marketrows.Insert(ctx, c, insertSpellings, spellings, spelledTerm.values, onceOnly)
	}
	if err == nil && len(terms) > 0 {
		// Not before the commit: a rollback would leave terms in the cache that are not stored.
		gormstore.OnCommit(c.Pool, func() { v.remember(terms) })
	}
	return err
}

// findTerms returns which of the words, at least one, are stored.
func findTerms(ctx context.Context, c marketrows.Handle, words []string) ([]string, error) {
	marks, args := rawsql.In(words)
	return rawsql.Collect(ctx, c.Conn, rawsql.Text[string], "SELECT term FROM terms WHERE term IN ("+marks+")", args...)
}
