package redisstore

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/redis/go-redis/v9"
)

// FindSessionState implements auth.SessionStateReader. The session is in Redis and its
// user in the database.
func (s *Sessions) FindSessionState(ctx context.Context, of user.ID, one user.SessionID) (auth.SessionState, error) {
	found, latest, err := s.loadLatest(ctx, of, one)
	if err != nil {
		return auth.SessionState{}, err
	}
	u, err := s.accounts.FindUser(ctx, of)
	if errors.Is(err, user.ErrNotFound) {
		err = session.ErrNotFound
	}
	return auth.SessionState{
		Lifetime: found.Lifetime, NewestSeen: found.Family.NewestSeen, OtherUsedSince: !latest,
		UserEpoch: u.Epoch, Role: u.Role, Student: u.Student(), Factors: found.Factors,
	}, err
}

// loadLatest returns a session, and whether it is the user's most recently used one, in
// one round trip.
func (s *Sessions) loadLatest(ctx context.Context, of user.ID, one user.SessionID) (found session.Session, latest bool, err error) {
	var text *redis.StringCmd
	var last *redis.StringSliceCmd
	_, err = s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		text = p.Get(ctx, sessionKey(of, one))
		last = p.ZRevRange(ctx, userKey(of, "sessions"), 0, 0)
		return nil
	})
	switch {
	case errors.Is(text.Err(), redis.Nil):
		return found, false, session.ErrNotFound
	case err != nil:
		return found, false, unavailable(err)
	}
	found, err = decode(text.Val())
	return found, len(last.Val()) == 1 && last.Val()[0] == one.String(), err
}
