package memstore_test

import (
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/contract/authcontract"
	"github.com/octavo-books/octavo/test/memstore"
)

func TestSessionPorts(t *testing.T) {
	authcontract.Sessions(t, func(*testing.T) authkit.Stores {
		s := memstore.New()
		return authkit.Stores{Identity: s.Identity(), Sessions: s.Sessions(), RateLimiter: s.RateLimiter(), Messages: s.Messages, Events: memstore.NewEvents(s)}
	})
}

func TestSecondFactorPorts(t *testing.T) {
	authcontract.SecondFactors(t, func(*testing.T) authkit.Stores {
		s := memstore.New()
		return authkit.Stores{
			Identity: s.Identity(), Sessions: s.Sessions(), RateLimiter: s.RateLimiter(), Sweepers: []auth.Sweeper{s.Identity()},
			Messages: s.Messages, Events: memstore.NewEvents(s),
		}
	})
}

func TestCeremonyStorePort(t *testing.T) {
	authcontract.Ceremonies(t, func(*testing.T) authkit.Stores {
		s := memstore.New()
		return authkit.Stores{Identity: s.Identity(), Sessions: s.Sessions(), RateLimiter: s.RateLimiter(), Messages: s.Messages, Events: memstore.NewEvents(s)}
	})
}

func TestClientPorts(t *testing.T) {
	authcontract.Clients(t, func(*testing.T) authkit.Stores {
		s := memstore.New()
		return authkit.Stores{Identity: s.Identity(), Sessions: s.Sessions(), RateLimiter: s.RateLimiter(), Messages: s.Messages, Events: memstore.NewEvents(s)}
	})
}

func TestIdentityPorts(t *testing.T) {
	authcontract.Identities(t, func(*testing.T) authkit.Stores {
		s := memstore.New()
		return authkit.Stores{Identity: s.Identity(), Sessions: s.Sessions(), RateLimiter: s.RateLimiter(), Messages: s.Messages, Events: memstore.NewEvents(s)}
	})
}

func TestPasskeyPorts(t *testing.T) {
	authcontract.Passkeys(t, func(*testing.T) authkit.Stores {
		s := memstore.New()
		return authkit.Stores{Identity: s.Identity(), Sessions: s.Sessions(), RateLimiter: s.RateLimiter(), Messages: s.Messages, Events: memstore.NewEvents(s)}
	})
}

func TestRateLimiterPort(t *testing.T) {
	authcontract.RateLimiter(t, func(*testing.T) auth.RateLimiter { return memstore.New().RateLimiter() })
}

func TestAuditStoragePort(t *testing.T) {
	authcontract.AuditStorage(t, func(*testing.T) authkit.Stores {
		s := memstore.New()
		return authkit.Stores{Identity: s.Identity(), Sessions: s.Sessions(), RateLimiter: s.RateLimiter(), Messages: s.Messages, Events: memstore.NewEvents(s)}
	})
}
