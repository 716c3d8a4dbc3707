package redisstore

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/redis/go-redis/v9"
)

// swapScript writes a session if it is unchanged since it was read, and never one that
// is gone. KEYS: session, index. ARGV: old, new, time to live in ms, id, last use.
var swapScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[5], ARGV[4])
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
return 1`)

// maxSwaps limits how often a change is retried because another one came first. Every
// retry means that another request succeeded.
const maxSwaps = 64

// change loads a session, applies fn and stores the result. It runs fn again if the
// session was changed concurrently, and writes nothing if fn reports no change.
func (s *Sessions) change(
	ctx context.Context, of user.ID, one user.SessionID, now time.Time, fn func(*session.Session) (changed bool),
) error {
	for range maxSwaps {
		found, old, err := s.load(ctx, of, one)
		if err != nil || !fn(&found) {
			return err
		}
		text, err := encode(found)
		if err != nil {
			return err
		}
		swapped, err := swapScript.Run(ctx, s.client.Redis, []string{sessionKey(of, one), userKey(of, "sessions")},
			old, text, timeToLive(found, now).Milliseconds(), one.String(), found.LastUsedAt.UnixMicro()).Bool()
		if err != nil || swapped {
			return unavailable(err)
		}
	}
	return ErrUnavailable
}

// RotateToken implements auth.SessionStore.
func (s *Sessions) RotateToken(
	ctx context.Context, p auth.PresentedToken, effects func(session.Session) auth.SideEffects,
) (session.Session, session.Outcome, error) {
	var now session.Session
	var outcome session.Outcome
	err := s.change(ctx, p.User, p.Session, p.At, func(found *session.Session) bool {
		outcome = found.Classify(p.Number, p.UserEpoch, p.At)
		if outcome == session.Rotated {
			found.Rotate(p.Number, p.At)
		}
		now = *found
		return outcome == session.Rotated
	})
	if errors.Is(err, session.ErrNotFound) {
		return session.Session{}, session.Inactive, nil
	}
	if err != nil || outcome != session.ReuseDetected {
		return now, outcome, err
	}
	revoked, err := s.RevokeSessions(ctx, p.User, []user.SessionID{p.Session}, p.At, effects(now))
	if err == nil && revoked == 0 {
		outcome = session.Inactive // a concurrent call revoked it
	}
	return now, outcome, err
}

// TouchSession implements auth.SessionStore. It never replaces a newer use by an older
// one.
func (s *Sessions) TouchSession(ctx context.Context, of user.ID, one user.SessionID, use auth.SessionUse) error {
	err := s.change(ctx, of, one, use.At, func(found *session.Session) bool {
		changed := false
		if use.TokenNumber > found.Family.NewestSeen {
			found.Family.NewestSeen, changed = use.TokenNumber, true
		}
		if use.At.After(found.LastUsedAt) {
			found.LastUsedAt, found.IP, changed = use.At, use.IP, true
		}
		return changed
	})
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	return err
}

// ProveSession implements auth.SessionStore.
func (s *Sessions) ProveSession(ctx context.Context, of user.ID, one user.SessionID, m session.Methods, at time.Time) error {
	return s.change(ctx, of, one, at, func(found *session.Session) bool {
		found.Prove(m, at)
		return true
	})
}

// AdoptSessions implements auth.SessionStore.
func (s *Sessions) AdoptSessions(ctx context.Context, of user.ID, from, to user.SessionID) error {
	all, err := s.ListSessions(ctx, of)
	for _, one := range all {
		if one.Parent != from {
			continue
		}
		err := s.change(ctx, of, one.ID, one.LastUsedAt, func(found *session.Session) bool {
			found.Parent = to
			return true
		})
		if err != nil && !errors.Is(err, session.ErrNotFound) { // it has ended meanwhile
			return err
		}
	}
	return err
}

// RebindSession implements auth.SessionStore.
func (s *Sessions) RebindSession(ctx context.Context, of user.ID, one user.SessionID, from, to int64) error {
	found, err := s.FindSession(ctx, of, one)
	if err != nil {
		return err
	}
	moved := false
	err = s.change(ctx, of, one, found.LastUsedAt, func(found *session.Session) bool {
		moved = found.Epoch == from
		found.Epoch = to
		return moved
	})
	if err == nil && !moved {
		err = session.ErrNotFound
	}
	return err
}
