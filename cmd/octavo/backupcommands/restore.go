package backupcommands

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/octavo-books/octavo/cmd/backup"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

// Restore is the command that downloads one.
type Restore struct {
	Source string `arg:"" help:"The bucket of the backups: s3://BUCKET/PREFIX?endpoint=...&region=..."`
	Folder string `arg:"" optional:"" help:"The new DATA_DIR: a new or an empty folder."`
	Backup string `placeholder:"NAME" help:"Which backup to restore. Default: the newest."`
	List   bool   `help:"List the complete backups and their sizes, oldest first."`
}

// Run downloads a backup, compares every file with its sum, and only then gives the files their
// names. It overwrites nothing.
func (r *Restore) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	if err := r.check(); err != nil {
		return err
	}
	shown := c.StartProgress("restore")
	defer shown.Stop()
	bucket, err := openBucket(s, "SOURCE", r.Source, shown)
	if err != nil {
		return err
	}
	if r.List {
		return r.list(ctx, bucket, shown, c)
	}
	name, err := bucket.Find(ctx, r.Backup)
	if err != nil {
		return err
	}
	folder := filepath.Clean(r.Folder)
	names, err := bucket.Restore(ctx, name, folder)
	shown.Stop()
	if err != nil {
		return err
	}
	return printEach(c, names, func(name string) string { return filepath.Join(folder, name) })
}

func (r *Restore) check() error {
	switch {
	case !isBucket(r.Source):
		return config.Errorf("SOURCE", "must be s3://...: a backup in a folder is restored by putting the folder in the place of DATA_DIR")
	case r.List && (r.Folder != "" || r.Backup != ""):
		return config.Errorf("--list", "takes only SOURCE")
	case r.List:
		return nil
	case r.Folder == "":
		return config.Errorf("FOLDER", "name a new or an empty folder, or use --list")
	}
	return backup.MustBeEmpty(r.Folder)
}

func (r *Restore) list(ctx context.Context, bucket *backup.Bucket, shown *terminal.Progress, c terminal.Console) error {
	all, err := bucket.List(ctx)
	shown.Stop()
	if err != nil {
		return err
	}
	for _, b := range all {
		if _, err := fmt.Fprintf(c.Out, "%s  %d KB\n", b.Name, b.Size>>10); err != nil {
			return err
		}
	}
	return nil
}
