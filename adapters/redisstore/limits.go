package redisstore

import (
	"context"
	"strconv"
	"time"

	"github.com/octavo-books/octavo/domain/limit"
	"github.com/redis/go-redis/v9"
)

// RateLimiter implements auth.RateLimiter in Redis.
type RateLimiter struct{ client *Client }

// NewRateLimiter returns a RateLimiter over a client.
func NewRateLimiter(client *Client) *RateLimiter { return &RateLimiter{client} }

func limitKey(name string) string { return "octavo:{limits}:" + name }

// allowScript is limit.Rule.Allow for several names in one atomic step. The rule is
// repeated in Lua because reading and comparing-and-swapping would fail under an
// attack, when many clients count the same name. Instants are Unix µs, which are exact
// in Lua's numbers; durations are ns, so that waits equal the domain's. A state lives a
// minute longer than it counts because the clocks of replicas differ a little. KEYS:
// names. ARGV: now, "check" to count nothing, then for each name burst, period and longest
// wait.
var allowScript = redis.NewScript(`
local now, skew = tonumber(ARGV[1]), ` + strconv.FormatInt(int64(limit.MaxClockSkew), 10) + `
local longest, after = 0, {}
for i, key in ipairs(KEYS) do
  local burst, period, most = tonumber(ARGV[3*i]), tonumber(ARGV[3*i+1]), tonumber(ARGV[3*i+2])
  local step = math.floor(period / burst)
  local room = step * (burst - 1)
  local full, violations = now, 0
  local known = redis.call('GET', key)
  if known then
    local f, s = string.match(known, '^(%d+) (%d+)$')
    if tonumber(f) > now then full, violations = tonumber(f), tonumber(s) end
    if (full - now) * 1000 > period + most + skew then full = now + math.floor(room / 1000) end
  end
  local wait = (full - now) * 1000 - room
  if wait > 0 then
    longest = math.max(longest, wait)
  else
    local cost = step
    if most > 0 and (full - now) * 1000 + step > room then
      for _ = 1, violations do
        if cost >= most then break end
        cost = cost * 2
      end
      cost = math.max(math.min(cost, most), step)
      violations = violations + 1
    end
    after[i] = {full + math.floor(cost / 1000), violations}
  end
end
if longest > 0 or ARGV[2] == 'check' then return string.format('%.0f', longest) end
for i, key in ipairs(KEYS) do
  local full, violations = after[i][1], after[i][2]
  redis.call('SET', key, string.format('%.0f %d', full, violations), 'PX', math.ceil((full - now) / 1000) + 60000)
end
return '0'`)

// AllowRequests implements auth.RateLimiter.
func (l *RateLimiter) AllowRequests(ctx context.Context, now time.Time, requests ...limit.Request) (time.Duration, error) {
	return l.run(ctx, now, "count", requests)
}

// CheckLimit implements auth.RateLimiter.
func (l *RateLimiter) CheckLimit(ctx context.Context, now time.Time, request limit.Request) (time.Duration, error) {
	return l.run(ctx, now, "check", []limit.Request{request})
}

func (l *RateLimiter) run(ctx context.Context, now time.Time, mode string, requests []limit.Request) (time.Duration, error) {
	if len(requests) == 0 {
		return 0, nil
	}
	keys, args := make([]string, len(requests)), make([]any, 0, 2+3*len(requests))
	args = append(args, now.UnixMicro(), mode)
	for i, r := range requests {
		keys[i] = limitKey(r.Name)
		args = append(args, r.Rule.Burst, int64(r.Rule.Period), int64(r.Rule.MaxWait))
	}
	wait, err := allowScript.Run(ctx, l.client.Redis, keys, args...).Int64()
	return time.Duration(wait), unavailable(err)
}

// ResetLimit implements auth.RateLimiter.
func (l *RateLimiter) ResetLimit(ctx context.Context, name string) error {
	return unavailable(l.client.Redis.Del(ctx, limitKey(name)).Err())
}
