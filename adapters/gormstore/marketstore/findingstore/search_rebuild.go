package findingstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
	"gorm.io/gorm"
)

// Earlier releases had fewer terms for a book, and fewer spellings for a word. What they have written is
// brought up to date in batches, each in a transaction, after which anybody may continue.
const (
	searchVersion = 4   // of what index writes
	rebuildBatch  = 500 // books or words
)

// rebuildProgress says up to which book and which word the index is up to date, if its version is old.
type rebuildProgress struct {
	version, lastBook int64
	lastTerm          string
}

func readProgress() ([]any, func() rebuildProgress) {
	var p rebuildProgress
	return []any{&p.version, &p.lastBook, &p.lastTerm}, func() rebuildProgress { return p }
}

// rebuildSearch brings the whole index up to date.
func (s Reader) rebuildSearch(ctx context.Context) error {
	p, _, err := rawsql.One(ctx, s.Read.Conn, readProgress, readVersion)
	if err != nil || p.version >= searchVersion {
		return err
	}
	if err := s.indexSimplifiedRequests(ctx); err != nil {
		return err
	}
	for {
		done, err := s.rebuildSome(ctx)
		if err != nil || done {
			return err
		}
	}
}

func (s Reader) rebuildSome(ctx context.Context) (done bool, err error) {
	err = s.DB.Atomically(ctx, func(tx *gorm.DB) error {
		done, err = s.IndexIn(marketrows.On(tx)).rebuildSome(tx.Statement.Context)
		return err
	})
	return done, err
}

const readVersion = "SELECT version, last_book, last_term FROM search_versions"

func (s Index) rebuildSome(ctx context.Context) (done bool, err error) {
	p, _, err := rawsql.One(ctx, s.Conn, readProgress, readVersion+" WHERE id = 1"+s.Locking(rawsql.ForUpdate))
	if err != nil || p.version >= searchVersion {
		return true, err
	}
	more, err := s.rebuildBooks(ctx, &p)
	if err == nil && !more {
		if more, err = s.rebuildSpellings(ctx, &p); !more {
			p.version = searchVersion
		}
	}
	if err == nil {
		_, err = s.Exec(ctx, "UPDATE search_versions SET version = ?, last_book = ?, last_term = ? WHERE id = 1", p.version, p.lastBook, p.lastTerm)
	}
	return p.version >= searchVersion, err
}

// rebuildBooks replaces the entries of the next books. It locks these, so that none is sold meanwhile.
func (s Index) rebuildBooks(ctx context.Context, p *rebuildProgress) (more bool, err error) {
	found, err := rawsql.Collect(ctx, s.Conn, marketrows.ReadBook, "SELECT "+marketrows.BookColumns+" FROM books b WHERE b.status = 0 AND b.id > ? ORDER BY b.id LIMIT ?"+
		s.Locking(rawsql.ForNoKeyUpdate), p.lastBook, rebuildBatch)
	for _, b := range found {
		if err == nil {
			err = s.text.remove(ctx, b.ID)
		}
		p.lastBook = int64(b.ID)
	}
	if err == nil && len(found) > 0 {
		err = s.Add(ctx, found...)
	}
	return len(found) > 0, err
}

// rebuildSpellings adds the spellings of the next words.
func (s Index) rebuildSpellings(ctx context.Context, p *rebuildProgress) (more bool, err error) {
	terms, err := rawsql.Collect(ctx, s.Conn, rawsql.Text[string], "SELECT term FROM terms WHERE term > ? ORDER BY term LIMIT ?", p.lastTerm, rebuildBatch)
	if err != nil || len(terms) == 0 {
		return false, err
	}
	p.lastTerm = terms[len(terms)-1]
	var spelled []spelledTerm
	for _, t := range terms {
		for _, spelling := range book.SpellingsOf(t) {
			spelled = append(spelled, spelledTerm{spelling, t})
		}
	}
	return true, marketrows.Insert(ctx, s.Handle, insertSpellings, spelled, spelledTerm.values, onceOnly)
}
