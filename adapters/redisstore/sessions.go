package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/redis/go-redis/v9"
)

// Sessions implements auth.SessionStore, auth.SessionStore, auth.SessionStore and
// auth.SessionStore.
//
// Side effects are stored in the database, which shares no transaction with Redis. Redis is
// written last, within the database's transaction: if Redis fails, the side effects roll
// back. If the commit fails after that, the session has changed without side effects.
type Sessions struct {
	client   *Client
	accounts Accounts
}

// Accounts are the ports that the database implements.
type Accounts interface {
	auth.Storage
	// FindEpochs returns the epochs of users; those who do not exist are missing.
	FindEpochs(ctx context.Context, of []user.ID) (map[user.ID]int64, error)
}

// NewSessions returns Sessions in Redis with side effects in the database.
func NewSessions(client *Client, people Accounts) *Sessions {
	return &Sessions{client, people}
}

// userKey returns a key of a user.
func userKey(of user.ID, what string) string {
	return fmt.Sprintf("octavo:{u%d}:%s", int64(of), what)
}

// sessionKey returns the key of a session.
func sessionKey(of user.ID, one user.SessionID) string { return userKey(of, "session:"+one.String()) }

// FindSession implements auth.SessionStore.
func (s *Sessions) FindSession(ctx context.Context, of user.ID, one user.SessionID) (session.Session, error) {
	found, _, err := s.load(ctx, of, one)
	return found, err
}

// load also returns the stored text, for swapScript.
func (s *Sessions) load(ctx context.Context, of user.ID, one user.SessionID) (session.Session, string, error) {
	text, err := s.client.Redis.Get(ctx, sessionKey(of, one)).Result()
	if errors.Is(err, redis.Nil) {
		return session.Session{}, "", session.ErrNotFound
	}
	if err != nil {
		return session.Session{}, "", unavailable(err)
	}
	found, err := decode(text)
	return found, text, err
}

// ListSessions implements auth.SessionStore. It returns the most recently used session
// first.
func (s *Sessions) ListSessions(ctx context.Context, of user.ID) ([]session.Session, error) {
	ids, err := s.client.Redis.ZRevRange(ctx, userKey(of, "sessions"), 0, -1).Result()
	if err != nil || len(ids) == 0 {
		return nil, unavailable(err)
	}
	keys := make([]string, len(ids))
	for i, text := range ids {
		keys[i] = userKey(of, "session:"+text)
	}
	texts, err := s.client.Redis.MGet(ctx, keys...).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	var all []session.Session
	for _, text := range texts {
		if text, ok := text.(string); ok { // the others are nil: expired
			one, err := decode(text)
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// addScript removes expired sessions from the index, revokes the least recently used
// ones of the same client beyond the limit, whose ids it returns, and stores the session.
// Running it twice with the same id is harmless. KEYS: session, index. ARGV: session, its
// time to live in ms, id, last use, limit, prefix of session keys, client.
var addScript = redis.NewScript(`
redis.call('ZREM', KEYS[2], ARGV[3])
local same = {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  local text = redis.call('GET', ARGV[6] .. id)
  if not text then
    redis.call('ZREM', KEYS[2], id)
  elseif (cjson.decode(text).client or '') == ARGV[7] then
    same[#same + 1] = id
  end
end
local revoked = {}
for i = 1, #same + 1 - tonumber(ARGV[5]) do
  redis.call('DEL', ARGV[6] .. same[i])
  redis.call('ZREM', KEYS[2], same[i])
  revoked[i] = same[i]
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3])
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[2], ARGV[2]) end
return revoked`)

// deviceLifetime is how long a browser and system are remembered after a sign-in.
const deviceLifetime = session.AbsoluteTimeout + 30*24*time.Hour

// AddSession implements auth.SessionStore. It remembers the device last: after a
// failure in between, the mail about a new device is sent twice rather than never.
func (s *Sessions) AddSession(ctx context.Context, added session.Session, limit int, effects auth.SessionEffects) error {
	devices, device := userKey(added.User, "devices"), added.Device.Browser+"\x00"+added.Device.OS
	known, err := s.knownDevices(ctx, devices, device)
	if err != nil {
		return err
	}
	text, err := encode(added)
	if err != nil {
		return err
	}
	keys := []string{sessionKey(added.User, added.ID), userKey(added.User, "sessions")}
	var evicted []user.SessionID // in all runs of fn, because a rollback does not restore sessions in Redis
	err = s.accounts.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		if err := st.RecordSideEffects(ctx, effects.Added(known)); err != nil {
			return err
		}
		ids, err := addScript.Run(ctx, s.client.Redis, keys, text, timeToLive(added, added.CreatedAt).Milliseconds(), added.ID.String(),
			added.LastUsedAt.UnixMicro(), limit, userKey(added.User, "session:"), added.Client).Int64Slice()
		if err != nil {
			return unavailable(err)
		}
		for _, one := range ids {
			evicted = append(evicted, user.SessionID(one))
		}
		if len(evicted) == 0 {
			return nil
		}
		return st.RecordSideEffects(ctx, effects.Evicted(evicted))
	})
	if err != nil {
		return err
	}
	return s.remember(ctx, devices, device)
}

func (s *Sessions) knownDevices(ctx context.Context, devices, device string) (auth.KnownDevices, error) {
	this, anyOne := (*redis.BoolCmd)(nil), (*redis.IntCmd)(nil)
	_, err := s.client.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		this, anyOne = p.SIsMember(ctx, devices, device), p.Exists(ctx, devices)
		return nil
	})
	if err != nil {
		return auth.KnownDevices{}, unavailable(err)
	}
	return auth.KnownDevices{This: this.Val(), Any: anyOne.Val() > 0}, nil
}

// ListDevices implements auth.SessionStore. It does not know when each was first seen.
func (s *Sessions) ListDevices(ctx context.Context, of user.ID) ([]auth.RecordedDevice, error) {
	names, err := s.client.Redis.SMembers(ctx, userKey(of, "devices")).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	all := make([]auth.RecordedDevice, len(names))
	for i, name := range names {
		all[i].Name = strings.ReplaceAll(name, "\x00", " / ")
	}
	return all, nil
}

func (s *Sessions) remember(ctx context.Context, devices, device string) error {
	_, err := s.client.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.SAdd(ctx, devices, device)
		p.PExpire(ctx, devices, deviceLifetime)
		return nil
	})
	return unavailable(err)
}

// deleteScript deletes sessions and returns how many existed. KEYS: index, sessions.
// ARGV: their ids.
var deleteScript = redis.NewScript(`
local ended = 0
for i, id in ipairs(ARGV) do
  ended = ended + redis.call('DEL', KEYS[i + 1])
  redis.call('ZREM', KEYS[1], id)
end
return ended`)

// errNoneRevoked rolls back the side effects when no session was revoked.
var errNoneRevoked = errors.New("no session was revoked")

// RevokeSessions implements auth.SessionStore.
func (s *Sessions) RevokeSessions(
	ctx context.Context, of user.ID, ids []user.SessionID, _ time.Time, effects auth.SideEffects,
) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	keys, args := []string{userKey(of, "sessions")}, make([]any, len(ids))
	for i, one := range ids {
		keys, args[i] = append(keys, sessionKey(of, one)), id.Format(int64(one))
	}
	revoked := 0 // in all runs of fn, because a rollback does not restore sessions in Redis
	err := s.accounts.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		if err := st.RecordSideEffects(ctx, effects); err != nil {
			return err
		}
		n, err := deleteScript.Run(ctx, s.client.Redis, keys, args...).Int()
		if err != nil {
			return unavailable(err)
		}
		if revoked += n; revoked == 0 {
			return errNoneRevoked
		}
		return nil
	})
	if errors.Is(err, errNoneRevoked) {
		return 0, nil
	}
	return revoked, err
}
