package doctor

import (
	"context"

	"github.com/octavo-books/octavo/cmd/config"
)

// checkISBNTable reads the whole table of ISBN_TABLE, as the program does when it starts.
func checkISBNTable(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if !parts.Market || s.Market.ISBNTable == "" {
		return nil
	}
	table, err := s.OpenISBNTable(ctx)
	if err != nil {
		return []finding{failed("table of ISBNs", err, "correct the line, or name another file with ISBN_TABLE")}
	}
	defer func() { _ = table.Close() }()
	return []finding{passed("table of ISBNs", "%d in %s", table.Len(), s.Market.ISBNTable)}
}
