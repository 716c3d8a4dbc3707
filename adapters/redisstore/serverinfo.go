package redisstore

import (
	"context"
	"strings"
	"time"
)

// ServerInfo is what an operator needs to know about a Redis server. Fields are empty
// if the server does not report them.
type ServerInfo struct {
	Version  string
	Persists bool   // the append-only file is on
	Eviction string // maxmemory-policy
	Clock    time.Time
}

// ServerInfo queries the server.
func (c *Client) ServerInfo(ctx context.Context) (ServerInfo, error) {
	clock, err := c.Redis.Time(ctx).Result()
	if err != nil {
		return ServerInfo{}, err
	}
	text, err := c.Redis.Info(ctx).Result()
	if err != nil {
		return ServerInfo{}, err
	}
	fields := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		fields[name] = value
	}
	return ServerInfo{
		Version: fields["redis_version"], Persists: fields["aof_enabled"] == "1", Eviction: fields["maxmemory_policy"], Clock: clock,
	}, nil
}
