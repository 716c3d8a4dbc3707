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
type ISBNTable struct {
	FindISBN func(isbn book.ISBN) (book.Suggestion, bool, error) // nil without a table
	Len      func() int
	Close    func() error
}

func noISBNTable() ISBNTable {
	return ISBNTable{Len: func() int { return 0 }, Close: func() error { return nil }}
}

// preparedISBNs is the file that answers for a dump of Open Library.
func (s *Settings) preparedISBNs() string { return filepath.Join(s.Storage.DataDir, "isbn-table.db") }

// ServeISBNTable opens the table of ISBN_TABLE, unless octavo serve had to prepare it before and has not.
func (s *Settings) ServeISBNTable() (ISBNTable, error) {
	table, err := s.OpenISBNTable(context.Background())
	if errors.Is(err, openlibrary.ErrNotPrepared) {
		err = nil
	}
	return table, err
}

// OpenISBNTable opens the table of ISBN_TABLE, an empty one if there is none. The caller closes it. The error is
// openlibrary.ErrNotPrepared for a dump that PrepareISBNTable has not read.
func (s *Settings) OpenISBNTable(ctx context.Context) (ISBNTable, error) {
	if s.Market.ISBNTable == "" {
		return noISBNTable(), nil
	}
	is, err := openlibrary.IsDump(s.Market.ISBNTable)
	if err != nil {
		return noISBNTable(), Errorf("ISBN_TABLE", "%v", err)
	}
	if is {
		dump, err := openlibrary.Open(ctx, s.Market.ISBNTable, s.preparedISBNs())
		if err != nil {
			return noISBNTable(), fmt.Errorf("ISBN_TABLE: %w", err)
		}
		return ISBNTable{dump.FindISBN, dump.Len, dump.Close}, nil
	}
	table, err := isbntable.Open(s.Market.ISBNTable)
	if err != nil {
		return noISBNTable(), Errorf("ISBN_TABLE", "%v", err)
	}
	return ISBNTable{table.FindISBN, table.Len, table.Close}, nil
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
	case err == nil:
		return table.Close()
	}
	return nil // the start says what is wrong
}
