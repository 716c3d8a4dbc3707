package doctor

import (
	"context"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/cmd/config"
)

// checkHandovers says that there are books, but nowhere to hand them over. It ignores the error of a
// database that cannot be read: checkDatabases reports it.
func checkHandovers(ctx context.Context, s *config.Settings, parts config.Components) (all []finding) {
	if !parts.Market {
		return nil
	}
	lacks := func(is bool, question func(context.Context, *gormstore.DB) (bool, error), what, page string) {
		if !is {
			return
		}
		if yes, err := ask(ctx, s.MainDatabase(), question); err == nil && yes {
			all = append(all, warn(
				"hand-overs", "books are for sale, but there is no "+what+" yet: buyers and sellers are told to ask",
				"as an admin, add one at "+strings.TrimSuffix(s.Server.BaseURL, "/")+page,
			))
		}
	}
	mode := s.HandoverMode()
	lacks(mode.HasDesk(), marketstore.LacksDesk, "desk", "/dashboard/desks")
	lacks(mode.Meets(), marketstore.LacksPlace, "place to meet", "/dashboard/places")
	return all
}
