package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/octavo-books/octavo/adapters/cachepurge"
	"github.com/octavo-books/octavo/adapters/outbound"
	"github.com/octavo-books/octavo/cmd/config"
)

// checkCachePurge sends the cache in front a purge that removes nothing.
func checkCachePurge(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if s.Server.CachePurgeURL == "" || !parts.Identity() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	switch err := cachepurge.Try(ctx, s.CachePurge()); {
	case errors.Is(err, outbound.ErrForbidden):
		return []finding{failed("cache", fmt.Errorf("CACHE_PURGE_URL: %w", err), "choose another CACHE_PURGE_URL")}
	case err != nil:
		return []finding{warn("cache", "it is not purged: "+config.OneLine(err),
			"check CACHE_PURGE_URL, CACHE_PURGE_TOKEN and CACHE_PURGE_FORMAT, and that the cache runs; until it is purged, copies are up to two minutes old")}
	}
	return []finding{passed("cache", "accepts purges")}
}
