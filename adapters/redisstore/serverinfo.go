package redisstore

import (
	"context"
	"strings"
	"time"
)

// ServerInfo are what an operator should know of a Redis; empty where it does not tell.
type ServerInfo struct {
	Version  string
	Persists bool   // every write goes to the append-only file
	Eviction string // what it does when its memory is full
	Clock    time.Time
}

// ServerInfo asks Redis about itself.
func (c *Client) ServerInfo(ctx context.Context) (ServerInfo, error) {
	clock, err := c.Time(ctx).Result()
	if err != nil {
		return ServerInfo{}, err
	}
	text, err := c.Info(ctx).Result()
	if err != nil {
		return ServerInfo{}, err
	}
	about := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		about[name] = value
	}
	return ServerInfo{
		Version: about["redis_version"], Persists: about["aof_enabled"] == "1", Eviction: about["maxmemory_policy"], Clock: clock,
	}, nil
}
