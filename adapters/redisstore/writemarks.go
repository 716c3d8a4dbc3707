package redisstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/user"
	"github.com/redis/go-redis/v9"
)

// WriteMarks implements market.WriteMarks.
type WriteMarks struct {
	client *Client
	maxLag time.Duration
}

// NewWriteMarks returns the marks for standbys that are fresh while they are less than maxLag
// behind.
func NewWriteMarks(client *Client, maxLag time.Duration) *WriteMarks {
	return &WriteMarks{client, maxLag}
}

// markScript sets a mark unless there is one that lasts longer. KEYS: mark. ARGV: its time to live
// in ms.
var markScript = redis.NewScript(`
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '', 'PX', ARGV[1]) end
return 1`)

// MarkWriter implements market.WriteMarks.
func (m *WriteMarks) MarkWriter(ctx context.Context, id user.ID, within time.Duration) error {
	return unavailable(markScript.Run(ctx, m.client.Redis, []string{userKey(id, "wrote")}, (m.maxLag+within).Milliseconds()+1).Err())
}

// IsMarked implements market.WriteMarks.
func (m *WriteMarks) IsMarked(ctx context.Context, id user.ID) (bool, error) {
	n, err := m.client.Redis.Exists(ctx, userKey(id, "wrote")).Result()
	return n > 0, unavailable(err)
}
