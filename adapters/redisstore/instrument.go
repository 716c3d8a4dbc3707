package redisstore

import (
	"context"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"
)

// Instrument calls start before each command with the command's name, without its
// arguments, and the function that start returned with the command's error. Call it
// before the first command.
func (c *Client) Instrument(start func(ctx context.Context, command string) (context.Context, func(error))) {
	c.Redis.AddHook(instrumentation{start})
}

type instrumentation struct {
	start func(context.Context, string) (context.Context, func(error))
}

// DialHook implements redis.Hook.
func (instrumentation) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return next(ctx, network, address)
	}
}

// ProcessHook implements redis.Hook.
func (i instrumentation) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		ctx, done := i.start(ctx, command.FullName())
		err := next(ctx, command)
		done(unexpected(err))
		return err
	}
}

// ProcessPipelineHook implements redis.Hook.
func (i instrumentation) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		ctx, done := i.start(ctx, "pipeline")
		err := next(ctx, commands)
		done(unexpected(err))
		return err
	}
}

// unexpected filters out errors that are normal replies: a missing key, and a script
// that the server has not cached yet.
func unexpected(err error) error {
	if errors.Is(err, redis.Nil) || redis.HasErrorPrefix(err, "NOSCRIPT") {
		return nil
	}
	return err
}
