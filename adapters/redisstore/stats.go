package redisstore

import "context"

// CountTimeouts returns how often no connection became free in time.
func (c *Client) CountTimeouts() uint32 { return c.Redis.PoolStats().Timeouts }

// ReadStats counts the open connections, those of them that are idle, and the keys, which are -1 if Redis does not say.
func (c *Client) ReadStats(ctx context.Context) (connections, idle uint32, keys int64) {
	pool := c.Redis.PoolStats()
	keys, err := c.Redis.DBSize(ctx).Result()
	if err != nil {
		keys = -1
	}
	return pool.TotalConns, pool.IdleConns, keys
}
