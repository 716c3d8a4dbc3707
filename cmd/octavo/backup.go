package main

import (
	"context"

	"github.com/octavo-books/octavo/cmd/assembly"
	"github.com/octavo-books/octavo/cmd/config"
)

type backupCommand struct {
	Folder string `arg:"" help:"A new folder; put in DATA_DIR's place it is the restored state."`
}

func (b *backupCommand) Run(ctx context.Context, settings *config.Settings, c console) error {
	return assembly.Backup(ctx, *settings, b.Folder, c.out)
}
