package auth_test

import (
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/contract/authcontract"
	"github.com/octavo-books/octavo/test/memstore"
)

// inMemory opens stores in memory.
func inMemory(*testing.T) authkit.Stores {
	s := memstore.New()
	return authkit.Stores{Identity: s.Identity(), Sessions: s.Sessions(), RateLimiter: s.RateLimiter(), Sweepers: []auth.Sweeper{s.Identity()}, Messages: s.Messages, Events: memstore.NewEvents(s)}
}

func TestUseCases(t *testing.T) { authcontract.UseCases(t, inMemory) }
