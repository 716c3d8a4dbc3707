package main

import (
	"context"

	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
)

type demoCommand struct {
	Books int    `default:"10000" placeholder:"N" help:"How many books (${default})."`
	Users int    `default:"500" placeholder:"N" help:"How many people (${default})."`
	Seed  uint64 `default:"1" placeholder:"S" help:"The same seed makes the same campus (${default})."`
}

func (d demoCommand) Run(ctx context.Context, settings *config.Settings, c console) error {
	return assembly.Demo(ctx, *settings, assembly.Campus(d), c.out, c.err)
}
