package marketstore

import (
	"context"
	"slices"
	"sync"

	"github.com/octavo-books/octavo/adapters/gormstore"
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

// learn stores new terms, in byte order so that two transactions with the same terms do not
// deadlock.
func (v *vocabulary) learn(ctx context.Context, c conn, terms []string) error {
	terms = v.unknown(terms)
	if len(terms) == 0 {
		return nil
	}
	stored, err := c.findTerms(ctx, terms)
	if err != nil {
		return err
	}
	slices.Sort(terms)
	for _, t := range terms {
		if slices.Contains(stored, t) {
			continue
		}
		if err := c.learnTerm(ctx, t); err != nil {
			return err
		}
	}
	// Not before the commit: a rollback would leave terms in the cache that are not stored.
	gormstore.OnCommit(c.Pool, func() { v.remember(terms) })
	return nil
}

// findTerms returns which of the words, at least one, are stored.
func (c conn) findTerms(ctx context.Context, words []string) ([]string, error) {
	marks, args := rawsql.In(words)
	return rawsql.Collect(ctx, c.Conn, rawsql.Text[string], "SELECT term FROM terms WHERE term IN ("+marks+")", args...)
}

func (c conn) learnTerm(ctx context.Context, term string) error {
	if _, err := c.Exec(ctx, "INSERT INTO terms (term) VALUES (?) ON CONFLICT DO NOTHING", term); err != nil {
		return err
	}
	for _, k := range book.Spellings(term) {
		if _, err := c.Exec(ctx, "INSERT INTO spellings (spelling, term) VALUES (?, ?) ON CONFLICT DO NOTHING", k, term); err != nil {
			return err
		}
	}
	return nil
}
