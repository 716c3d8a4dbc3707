package marketstore

import (
	"context"
	"slices"
	"sync"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/domain/book"
)

// maxWords bounds what a vocabulary remembers: a megabyte or two. A catalog has a
// few thousand words that come again and again.
const maxWords = 20_000

// vocabulary takes terms into the database. It remembers those that are there for
// certain, which are never deleted.
type vocabulary struct {
	mu    sync.Mutex
	known map[string]bool
}

// learn takes in terms that are new, in the order of their bytes, so that two steps
// that learn the same do not lock each other out.
func (v *vocabulary) learn(ctx context.Context, c conn, terms []string) error {
	terms = v.unknown(terms)
	if len(terms) == 0 {
		return nil
	}
	marks, args := list(terms)
	stored, err := collect(ctx, c, text, "SELECT term FROM terms WHERE term IN ("+marks+")", args...)
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
	// Not before: others may have stored them in a transaction that is rolled back.
	gormstore.OnCommit(c.pool, func() { v.remember(terms) })
	return nil
}

func (v *vocabulary) unknown(terms []string) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.DeleteFunc(terms, func(t string) bool { return v.known[t] })
}

func (v *vocabulary) remember(terms []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil || len(v.known)+len(terms) > maxWords {
		v.known = make(map[string]bool)
	}
	for _, t := range terms {
		v.known[t] = true
	}
}

func (c conn) learnTerm(ctx context.Context, term string) error {
	if _, err := c.exec(ctx, "INSERT INTO terms (term) VALUES (?) ON CONFLICT DO NOTHING", term); err != nil {
		return err
	}
	for _, k := range book.Spellings(term) {
		if _, err := c.exec(ctx, "INSERT INTO spellings (spelling, term) VALUES (?, ?) ON CONFLICT DO NOTHING", k, term); err != nil {
			return err
		}
	}
	return nil
}
