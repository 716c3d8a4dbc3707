package redisstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/redis/go-redis/v9"
)

// Sessions fills auth.SessionStore, auth.TokenRotator, auth.SessionRevoker and
// auth.SessionStateReader.
//
// What an act leaves behind goes to the database, which shares no transaction
// with Redis. Redis is changed last, within the database's transaction: should
// it fail, nothing is left behind. Should the commit itself fail after that, the
// act stands without its trace.
type Sessions struct {
	client   *Client
	accounts Accounts
}

// Accounts are what is kept in the database beside the sessions.
type Accounts interface {
	auth.UserReader
	auth.Database
}

// NewSessions keeps sessions in Redis and their traces in the database.
func NewSessions(client *Client, people Accounts) *Sessions {
	return &Sessions{client, people}
}

func sessionsOf(of user.ID, what string) string {
	return fmt.Sprintf("octavo:{u%d}:%s", int64(of), what)
}

func keyOf(of user.ID, one user.SessionID) string { return sessionsOf(of, "session:"+one.String()) }

// FindSession finds a session that was not ended.
func (s *Sessions) FindSession(ctx context.Context, of user.ID, one user.SessionID) (session.Session, error) {
	found, _, err := s.load(ctx, of, one)
	return found, err
}

// load also returns the text as it stands in Redis.
func (s *Sessions) load(ctx context.Context, of user.ID, one user.SessionID) (session.Session, string, error) {
	text, err := s.client.Get(ctx, keyOf(of, one)).Result()
	if errors.Is(err, redis.Nil) {
		return session.Session{}, "", session.ErrNotFound
	}
	if err != nil {
		return session.Session{}, "", unavailable(err)
	}
	found, err := decode(text)
	return found, text, err
}

// ListSessions finds a user's sessions, the most recently used first.
func (s *Sessions) ListSessions(ctx context.Context, of user.ID) ([]session.Session, error) {
	ids, err := s.client.ZRevRange(ctx, sessionsOf(of, "sessions"), 0, -1).Result()
	if err != nil || len(ids) == 0 {
		return nil, unavailable(err)
	}
	keys := make([]string, len(ids))
	for i, text := range ids {
		keys[i] = sessionsOf(of, "session:"+text)
	}
	texts, err := s.client.MGet(ctx, keys...).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	var all []session.Session
	for _, text := range texts {
		if text, ok := text.(string); ok { // the others have expired
			one, err := decode(text)
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// addScript drops from the index what has expired, makes room, and keeps the session.
// KEYS: session, index. ARGV: session, its life in ms, id, last use, how many to
// keep, prefix of the keys of sessions. Once more with the same id is fine.
var addScript = redis.NewScript(`
redis.call('ZREM', KEYS[2], ARGV[3])
for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  if redis.call('EXISTS', ARGV[6] .. id) == 0 then redis.call('ZREM', KEYS[2], id) end
end
local over = redis.call('ZCARD', KEYS[2]) + 1 - tonumber(ARGV[5])
if over > 0 then
  for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, over - 1)) do
    redis.call('DEL', ARGV[6] .. id)
    redis.call('ZREM', KEYS[2], id)
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3])
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[2], ARGV[2]) end
return 1`)

// deviceLifetime is how long a browser and system are remembered after a sign-in.
const deviceLifetime = session.AbsoluteTimeout + 30*24*time.Hour

// AddSession keeps a new session and ends those beyond keep. The device counts as
// known once all the rest has happened, so that its mail is rather sent twice
// than never.
func (s *Sessions) AddSession(ctx context.Context, begun session.Session, keep int, trace func(newDevice bool) auth.SideEffects) error {
	devices, device := sessionsOf(begun.User, "devices"), begun.Device.Browser+"\x00"+begun.Device.OS
	known, err := s.client.SIsMember(ctx, devices, device).Result()
	if err != nil {
		return unavailable(err)
	}
	text, err := encode(begun)
	if err != nil {
		return err
	}
	keys := []string{keyOf(begun.User, begun.ID), sessionsOf(begun.User, "sessions")}
	err = s.accounts.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		if err := st.SideEffects.RecordSideEffects(ctx, trace(!known)); err != nil {
			return err
		}
		return unavailable(addScript.Run(ctx, s.client, keys, text, timeToLive(begun, begun.CreatedAt).Milliseconds(), begun.ID.String(),
			begun.LastUsedAt.UnixMicro(), keep, sessionsOf(begun.User, "session:")).Err())
	})
	if err != nil {
		return err
	}
	return s.remember(ctx, devices, device)
}

func (s *Sessions) remember(ctx context.Context, devices, device string) error {
	_, err := s.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.SAdd(ctx, devices, device)
		p.PExpire(ctx, devices, deviceLifetime)
		return nil
	})
	return unavailable(err)
}

// deleteScript removes sessions and says how many there were. KEYS: index, sessions.
// ARGV: their ids.
var deleteScript = redis.NewScript(`
local ended = 0
for i, id in ipairs(ARGV) do
  ended = ended + redis.call('DEL', KEYS[i + 1])
  redis.call('ZREM', KEYS[1], id)
end
return ended`)

// errNoneRevoked rolls a trace back of which nothing came.
var errNoneRevoked = errors.New("no session ended")

// RevokeSessions ends some of a user's sessions.
func (s *Sessions) RevokeSessions(ctx context.Context, of user.ID, ids []user.SessionID, _ time.Time, t auth.SideEffects) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	keys, args := []string{sessionsOf(of, "sessions")}, make([]any, len(ids))
	for i, one := range ids {
		keys, args[i] = append(keys, keyOf(of, one)), id.Format(int64(one))
	}
	ended := 0 // over all runs of fn: what is ended stays so when the database tries again
	err := s.accounts.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		if err := st.SideEffects.RecordSideEffects(ctx, t); err != nil {
			return err
		}
		n, err := deleteScript.Run(ctx, s.client, keys, args...).Int()
		if err != nil {
			return unavailable(err)
		}
		if ended += n; ended == 0 {
			return errNoneRevoked
		}
		return nil
	})
	if errors.Is(err, errNoneRevoked) {
		return 0, nil
	}
	return ended, err
}
