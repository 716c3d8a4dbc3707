package queue

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// redisLedger stores a hash for each message: attempt, until (when the lease ends, by
// Redis' clock) and done.
type redisLedger struct {
	client redis.UniversalClient
	lease  time.Duration
}

func ledgerKey(id string) string { return "octavo.mail.ledger:" + id }

// claimScript returns -1 for a settled message, 0 for a leased one, otherwise the number of the
// attempt.
var claimScript = redis.NewScript(`
local known = redis.call('HMGET', KEYS[1], 'done', 'until')
if known[1] then return -1 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if known[2] and tonumber(known[2]) > now then return 0 end
redis.call('HSET', KEYS[1], 'until', now + ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('HINCRBY', KEYS[1], 'try', 1)`)

func (l redisLedger) claim(ctx context.Context, id string) (entry, error) {
	n, err := claimScript.Run(ctx, l.client, []string{ledgerKey(id)}, l.lease.Milliseconds(), ledgerTTL.Milliseconds()).Int()
	switch {
	case err != nil:
		return entry{}, err
	case n < 0:
		return entry{state: settled}, nil
	case n == 0:
		return entry{state: leased}, nil
	}
	return entry{state: claimed, attempt: n}, nil
}

func (l redisLedger) markSettled(ctx context.Context, id string) error {
	_, err := l.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.HSet(ctx, ledgerKey(id), "done", 1)
		p.PExpire(ctx, ledgerKey(id), ledgerTTL)
		return nil
	})
	return err
}

// releaseScript creates no record if Redis has lost the message's.
var releaseScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HDEL', KEYS[1], 'until')
return redis.call('HINCRBY', KEYS[1], 'try', ARGV[1])`)

func (l redisLedger) release(ctx context.Context, id string, uncounted bool) error {
	step := 0
	if uncounted {
		step = -1
	}
	return releaseScript.Run(ctx, l.client, []string{ledgerKey(id)}, step).Err()
}
