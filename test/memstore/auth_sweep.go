package memstore

import (
	"context"
	"crypto/sha256"
	"maps"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// DeleteExpired implements auth.Sweeper. It deletes everything expired in auth's tables
// at once.
func (i *Identity) DeleteExpired(ctx context.Context, now time.Time, _ int) (int, error) {
	return 0, i.store.atomically(ctx, func() error {
		t := i.store.tables.auth
		maps.DeleteFunc(t.registrations, func(_ int64, r user.Registration) bool { return !now.Before(r.ExpiresAt) })
		maps.DeleteFunc(t.challenges, func(_ challengeKey, c challenge.Challenge) bool { return !now.Before(c.ExpiresAt) })
		maps.DeleteFunc(t.ceremonies, func(_ [sha256.Size]byte, c challenge.Ceremony) bool { return !now.Before(c.ExpiresAt) })
		maps.DeleteFunc(t.remembered, func(_ [sha256.Size]byte, d auth.RememberedDevice) bool { return !now.Before(d.ExpiresAt) })
		maps.DeleteFunc(t.invitations, func(_ auth.InvitationID, i invitation) bool { return !now.Before(i.ExpiresAt) })
		maps.DeleteFunc(t.sessions, func(_ user.SessionID, s session.Session) bool {
			return !s.EndedAt.IsZero() || !now.Before(s.ExpiresAt())
		})
		maps.DeleteFunc(t.knownClients, func(_ knownClient, until time.Time) bool { return !now.Before(until) })
		maps.DeleteFunc(t.emailChanges, func(_ int64, c user.EmailChange) bool { return !now.Before(c.ForgetAt()) })
		maps.DeleteFunc(t.limits, func(_ string, s limit.State) bool { return !now.Before(s.FullAt) })
		return nil
	})
}

// PrepareAuditStorage implements auth.AuditStorage.
func (i *Identity) PrepareAuditStorage(ctx context.Context, _ time.Time) error { return ctx.Err() }

// DeleteAuditEntries implements auth.AuditStorage.
func (i *Identity) DeleteAuditEntries(ctx context.Context, before time.Time, n int) (deleted int, err error) {
	err = i.store.atomically(ctx, func() error {
		entries := i.store.tables.auth.entries
		maps.DeleteFunc(entries, func(_ int64, e audit.Entry) bool {
			old := e.At.Before(before) && deleted < n
			if old {
				deleted++
			}
			return old
		})
		return nil
	})
	return deleted, err
}
