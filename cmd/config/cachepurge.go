package config

import (
	"errors"
	"time"

	"github.com/octavo-books/octavo/adapters/cachepurge"
)

func (s *Settings) checkCachePurge() error {
	c := s.CachePurge()
	switch err := c.Validate(); {
	case c.URL == "" && c.Token != "":
		return Errorf("CACHE_PURGE_TOKEN", "needs CACHE_PURGE_URL")
	case c.URL == "":
		return nil
	case errors.Is(err, cachepurge.ErrToken):
		return Errorf("CACHE_PURGE_TOKEN", "%v", err)
	case errors.Is(err, cachepurge.ErrFormat):
		return Errorf("CACHE_PURGE_FORMAT", "%q %v", c.Format, err)
	case err != nil:
		return Errorf("CACHE_PURGE_URL", "%v", err)
	}
	return nil
}

// CachePurge says which cache in front to purge. Its URL is empty if there is none.
func (s *Settings) CachePurge() cachepurge.Config {
	v := s.Server
	return cachepurge.Config{URL: v.CachePurgeURL, Token: v.CachePurgeToken, Format: v.CachePurgeFormat}
}

// lateResponse is how long after a commit a response with the state before it may reach a cache.
const lateResponse = 2 * time.Second

// CachePurgeAgain returns when to purge for the second time. A standby has what was committed
// READ_MAX_LAG ago.
func (s *Settings) CachePurgeAgain() time.Duration {
	if s.Storage.DatabaseReadURL == "" {
		return lateResponse
	}
	return s.Storage.ReadMaxLag + lateResponse
}
