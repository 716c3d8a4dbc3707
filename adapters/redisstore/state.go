package redisstore

import (
	"context"
	"errors"
	"slices"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/redis/go-redis/v9"
)

// FindSessionState implements auth.SessionStore. The session is in Redis and its
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
		UserEpoch: u.Epoch, Role: u.Role, Student: u.Student(), University: u.University(),
		AdminCampus: u.AdminCampus, Factors: found.Factors, SignIn: found.SignIn,
	}, err
}

// FindSessionLifetimes implements auth.SessionStore.
func (s *Sessions) FindSessionLifetimes(ctx context.Context, all []auth.SessionRef) (map[user.SessionID]auth.SessionLifetime, error) {
	texts, err := s.loadAll(ctx, all)
	if err != nil {
		return nil, err
	}
	users := make([]user.ID, len(all))
	for i, ref := range all {
		users[i] = ref.User
	}
	slices.Sort(users)
	epochs, err := s.accounts.FindEpochs(ctx, slices.Compact(users))
	if err != nil {
		return nil, err
	}
	found := make(map[user.SessionID]auth.SessionLifetime, len(all))
	for i, ref := range all {
		epoch, exists := epochs[ref.User]
		if texts[i] == "" || !exists {
			continue
		}
		one, err := decode(texts[i])
		if err != nil {
			return nil, err
		}
		found[ref.Session] = auth.SessionLifetime{Lifetime: one.Lifetime, UserEpoch: epoch}
	}
	return found, nil
}

// loadAll returns the stored texts of sessions, empty where there is none. It asks for a
// thousand at a time.
func (s *Sessions) loadAll(ctx context.Context, all []auth.SessionRef) ([]string, error) {
	texts := make([]string, 0, len(all))
	for chunk := range slices.Chunk(all, 1000) {
		answers, err := s.client.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, ref := range chunk {
				p.Get(ctx, sessionKey(ref.User, ref.Session))
			}
			return nil
		})
		if len(answers) < len(chunk) {
			return nil, unavailable(err)
		}
		for _, answer := range answers {
			text, err := answer.(*redis.StringCmd).Result()
			if err != nil && !errors.Is(err, redis.Nil) {
				return nil, unavailable(err)
			}
			texts = append(texts, text)
		}
	}
	return texts, nil
}

// loadLatest returns a session, and whether it is the user's most recently used one, in
// one round trip.
func (s *Sessions) loadLatest(ctx context.Context, of user.ID, one user.SessionID) (found session.Session, latest bool, err error) {
	var text *redis.StringCmd
	var last *redis.StringSliceCmd
	_, err = s.client.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
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
