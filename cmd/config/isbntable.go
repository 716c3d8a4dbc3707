package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/octavo-books/octavo/adapters/gormstore/openlibrary"
	"github.com/octavo-books/octavo/adapters/isbntable"
	"github.com/octavo-books/octavo/domain/book"
)

// checkISBNTable checks that the file of ISBN_TABLE can be opened. Reading it takes seconds.
func (s *Settings) checkISBNTable() error {
	if s.Market.ISBNTable == "" {
		return nil
	}
	file, err := os.Open(s.Market.ISBNTable)
	if err != nil {
		return Errorf("ISBN_TABLE", "%v", err)
	}
	return file.Close()
}

// ISBNTable is an open table: a file of the operator's, or a dump of Open Library.
type ISBNTable interface {
	FindISBN(isbn book.ISBN) (book.Suggestion, bool, error)
	Len() int
	Close() error
}

// preparedISBNs is the file that answers for a dump of Open Library.
func (s *Settings) preparedISBNs() string { return filepath.Join(s.Storage.DataDir, "isbn-table.db") }

// OpenISBNTable opens the table of ISBN_TABLE; nil if there is none. The caller closes it. The error is
// openlibrary.ErrNotPrepared for a dump that PrepareISBNTable has not read.
func (s *Settings) OpenISBNTable(ctx context.Context) (ISBNTable, error) {
	if s.Market.ISBNTable == "" {
		return nil, nil
	}
	is, err := openlibrary.IsDump(s.Market.ISBNTable)
	if err != nil {
		return nil, Errorf("ISBN_TABLE", "%v", err)
	}
	if is {
		dump, err := openlibrary.Open(ctx, s.Market.ISBNTable, s.preparedISBNs())
		if err != nil {
			return nil, fmt.Errorf("ISBN_TABLE: %w", err)
		}
		return dump, nil
	}
	table, err := isbntable.Open(s.Market.ISBNTable)
	if err != nil {
		return nil, Errorf("ISBN_TABLE", "%v", err)
	}
	return table, nil
}

// PrepareISBNTable reads a dump of Open Library, if ISBN_TABLE is one that was not read yet.
func (s *Settings) PrepareISBNTable(ctx context.Context, report func(what string, done, of int64)) error {
	table, err := s.OpenISBNTable(ctx)
	switch {
	case errors.Is(err, openlibrary.ErrNotPrepared):
		if err := s.MakeDataDir(); err != nil {
			return err
		}
		return openlibrary.Prepare(ctx, s.Market.ISBNTable, s.preparedISBNs(), report)
	case table != nil && err == nil:
		return table.Close()
	}
	return nil // the start says what is wrong
}
