package config

import (
	"os"

	"github.com/octavo-books/octavo/adapters/isbntable"
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

// OpenISBNTable opens the table of ISBN_TABLE; nil if there is none. The caller closes it.
func (s *Settings) OpenISBNTable() (*isbntable.Table, error) {
	if s.Market.ISBNTable == "" {
		return nil, nil
	}
	table, err := isbntable.Open(s.Market.ISBNTable)
	if err != nil {
		return nil, Errorf("ISBN_TABLE", "%v", err)
	}
	return table, nil
}
