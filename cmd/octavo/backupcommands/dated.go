package backupcommands

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

// datedLayout names a backup for the time at which it began, as those in a bucket.
const datedLayout = "2006-01-02T150405Z"

var dated = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{6}Z$`)

// toDatedFolder makes a backup in a folder of backups, and deletes the oldest once it is complete.
func (b *Backup) toDatedFolder(ctx context.Context, s *config.Settings, c terminal.Console) error {
	parent := filepath.Clean(b.Destination)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return config.FileError("DESTINATION", err)
	}
	if err := toFolder(ctx, s, c, filepath.Join(parent, c.Clock.Now().UTC().Format(datedLayout))); err != nil {
		return err
	}
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() && dated.MatchString(e.Name()) {
			all = append(all, e.Name())
		}
	}
	slices.Sort(all)
	for _, name := range all[:max(0, len(all)-b.KeepLast)] {
		old := filepath.Join(parent, name)
		if err := os.RemoveAll(old); err != nil {
			return fmt.Errorf("the backup is complete, but an older one was not deleted: %w", err)
		}
		if _, err := fmt.Fprintln(c.Out, "deleted", old); err != nil {
			return err
		}
	}
	return nil
}
