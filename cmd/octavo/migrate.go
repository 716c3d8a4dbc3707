package main

import (
	"context"

	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
)

type migrateCommand struct {
	Up     migrateUp     `cmd:"" help:"Take every step that is left."`
	Status migrateStatus `cmd:"" help:"Tell how far each component's schema is."`
}

type migrateUp struct{}

func (migrateUp) Run(ctx context.Context, settings *config.Settings, c console) error {
	return assembly.MigrateUp(ctx, *settings, c.out)
}

type migrateStatus struct{}

func (migrateStatus) Run(ctx context.Context, settings *config.Settings, c console) error {
	return assembly.MigrateStatus(ctx, *settings, c.out)
}
