package config

import "github.com/octavo-books/octavo/adapters/isbntable"

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
