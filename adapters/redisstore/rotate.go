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

// swapScript writes a session if it stands as it was read, and never one that is gone.
// KEYS: session, index. ARGV: old, new, life in ms, id, last use.
var swapScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[5], ARGV[4])
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
return 1`)

// maxSwaps bounds how often a session is read again because somebody else wrote it.
// Each of them means that somebody else got on.
const maxSwaps = 64

// change loads a session and asks fn what it should be; fn runs again when
// somebody else has changed it meanwhile. Without a change nothing is written.
func (s *Sessions) change(ctx context.Context, of user.ID, one user.SessionID, now time.Time, fn func(*session.Session) (changed bool)) error {
	for range maxSwaps {
		found, old, err := s.load(ctx, of, one)
		if err != nil || !fn(&found) {
			return err
		}
		text, err := encode(found)
		if err != nil {
			return err
		}
		swapped, err := swapScript.Run(ctx, s.client, []string{keyOf(of, one), sessionsOf(of, "sessions")},
			old, text, timeToLive(found, now).Milliseconds(), one.String(), found.LastUsedAt.UnixMicro()).Bool()
		if err != nil || swapped {
			return unavailable(err)
		}
	}
	return ErrUnavailable
}

// RotateToken does what session.Judge says.
func (s *Sessions) RotateToken(ctx context.Context, p auth.PresentedToken, theft func(session.Session) auth.SideEffects) (session.Session, session.Outcome, error) {
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
	ended, err := s.RevokeSessions(ctx, p.User, []user.SessionID{p.Session}, p.At, theft(now))
	if err == nil && ended == 0 {
		outcome = session.Inactive // somebody else was first
	}
	return now, outcome, err
}

// TouchSession notes a sighting.
func (s *Sessions) TouchSession(ctx context.Context, of user.ID, one user.SessionID, seen auth.SessionUse) error {
	err := s.change(ctx, of, one, seen.At, func(found *session.Session) bool {
		changed := false
		if seen.TokenNumber > found.Family.NewestSeen {
			found.Family.NewestSeen, changed = seen.TokenNumber, true
		}
		if seen.At.After(found.LastUsedAt) {
			found.LastUsedAt, found.IP, changed = seen.At, seen.IP, true
		}
		return changed
	})
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	return err
}

// RebindSession takes a session from one epoch to another.
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
