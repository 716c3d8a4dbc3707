package redisstore

import (
	"context"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"
)

// Instrument shows step every command by its name, without its arguments, and calls
// what step gives with the outcome. It comes before the first command.
func (c *Client) Instrument(step func(ctx context.Context, command string) (context.Context, func(error))) {
	c.AddHook(instrumentation{step})
}

type instrumentation struct {
	step func(context.Context, string) (context.Context, func(error))
}

// DialHook implements redis.Hook.
func (instrumentation) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return next(ctx, network, address)
	}
}

// ProcessHook implements redis.Hook.
func (f instrumentation) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		ctx, done := f.step(ctx, command.FullName())
		err := next(ctx, command)
		done(unexpected(err))
		return err
	}
}

// ProcessPipelineHook implements redis.Hook.
func (f instrumentation) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		ctx, done := f.step(ctx, "pipeline")
		err := next(ctx, commands)
		done(unexpected(err))
		return err
	}
}

// unexpected leaves out what is an answer like others: that there is nothing, and
// that a script has to be sent along.
func unexpected(err error) error {
	if errors.Is(err, redis.Nil) || redis.HasErrorPrefix(err, "NOSCRIPT") {
		return nil
	}
	return err
}
