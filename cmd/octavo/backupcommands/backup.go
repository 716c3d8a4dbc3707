// Package backupcommands has the commands that make backups and restore them.
package backupcommands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/cmd/backup"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

// Backup is the command that makes one.
type Backup struct {
	Destination string `arg:"" help:"A new folder, which is restored by putting it in the place of DATA_DIR; or a bucket: s3://BUCKET/PREFIX?endpoint=...&region=..."`
	KeepLast    int    `placeholder:"N" help:"How many backups the bucket keeps, or the folder, which then has one folder for each. When the new one is complete, older ones are deleted. Default: all, and the folder is the backup."`
}

// partialBackup begins the name of a backup until it is complete, so that an interrupted
// one is never mistaken for a backup.
const partialBackup = ".octavo-backup-"

// Run copies the embedded databases, while they are in use, the photos and the generated
// keys to a folder or a bucket. Keys that are settings are not copied.
func (b *Backup) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	if !s.SQLite() {
		return config.Errorf("DATABASE_URL", "%v", gormstore.ErrNoBackupOnPostgres)
	}
	if err := s.RequireDatabase(ctx, s.Databases()...); err != nil {
		return err
	}
	begun := c.Clock.Now()
	if err := b.make(ctx, s, c); err != nil {
		return err
	}
	if err := s.NoteBackup(begun); err != nil { // the backup is none the worse
		_, err = fmt.Fprintln(c.Err, "octavo: the metrics do not show this backup:", config.OneLine(err))
		return err
	}
	return nil
}

func (b *Backup) make(ctx context.Context, s *config.Settings, c terminal.Console) error {
	switch {
	case b.KeepLast < 0:
		return config.Errorf("--keep-last", "must be at least 1")
	case isBucket(b.Destination):
		return b.toBucket(ctx, s, c)
	case b.KeepLast > 0:
		return b.toDatedFolder(ctx, s, c)
	}
	return toFolder(ctx, s, c, filepath.Clean(b.Destination))
}

// toFolder makes a folder that can replace DATA_DIR. It gets its name after everything in it
// was verified.
func toFolder(ctx context.Context, s *config.Settings, c terminal.Console, folder string) error {
	if err := mustNotExist(folder); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(filepath.Dir(folder), partialBackup+"*") // 0700
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	shown := c.StartProgress("backup")
	names, err := fillBackup(ctx, s, partial, shown)
	var lost lostPhotos
	if err == nil {
		names, lost, err = addPhotos(ctx, s, partial, names)
	}
	shown.Stop()
	if err == nil {
		err = errors.Join(ctx.Err(), mustNotExist(folder))
	}
	if err == nil {
		err = os.Rename(partial, folder)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	backup.SyncFolder(filepath.Dir(folder))
	return errors.Join(
		printEach(c, names, func(name string) string { return filepath.Join(folder, name) }), printNotHeld(c, s), lost.report(),
	)
}

// printNotHeld says what a restore needs besides the backup.
func printNotHeld(c terminal.Console, s *config.Settings) error {
	missing := []string{"the settings and the files that they name"}
	for name, value := range map[string]string{
		"PRIVATE_KEY": s.Identity.PrivateKey, "PREVIOUS_PRIVATE_KEYS": s.Identity.PreviousPrivateKeys,
		"OIDC_SIGNING_KEY": s.Identity.OIDCSigningKey, "NEXT_OIDC_KEY": s.Identity.NextOIDCKey,
		"SAML_KEY": s.Identity.SAMLKey, "SAML_OTHER_KEYS": s.Identity.SAMLOtherKeys, "WEBHOOK_SECRET": s.Webhooks.Secret,
	} {
		if value != "" {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing[1:])
	if _, inFolder := s.BlobFolder(); !inFolder {
		missing = append(missing, "the photos in the bucket of BLOB_URL")
	}
	text := "Not in this backup: " + strings.Join(missing, ", ") + "."
	if s.Identity.PrivateKey != "" {
		text += " Without PRIVATE_KEY no second factor can be checked after a restore."
	}
	_, err := fmt.Fprintln(c.Out, text)
	return err
}

func printEach(c terminal.Console, names []string, line func(name string) string) error {
	for _, name := range names {
		if _, err := fmt.Fprintln(c.Out, line(name)); err != nil {
			return err
		}
	}
	return nil
}

// mustNotExist returns an error if anything of that name exists.
func mustNotExist(folder string) error {
	switch _, err := os.Lstat(folder); {
	case err == nil:
		return config.Errorf("FOLDER", "%s exists already: name a new folder", folder)
	case !errors.Is(err, fs.ErrNotExist):
		return config.Errorf("FOLDER", "%v", err)
	}
	return nil
}

// fillBackup writes every file of a backup but the photos and returns their names, the main
// database first.
func fillBackup(ctx context.Context, s *config.Settings, folder string, shown *terminal.Progress) (names []string, err error) {
	done := map[string]bool{}
	for _, p := range s.Databases() {
		if config.FileMissing(p.Path()) || done[p.Path()] { // a market without webhooks has no inbox
			continue
		}
		done[p.Path()] = true
		name := filepath.Base(p.Path())
		stop := shown.FollowFile(name, p.Path(), filepath.Join(folder, name))
		err := backupDatabase(ctx, p, filepath.Join(folder, name))
		stop()
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	for _, name := range []string{config.KeysFile, config.OIDCKeyFile, config.SAMLKeyFile, config.WebhookSecretFile} {
		copied, err := backupFile(filepath.Join(s.Storage.DataDir, name), filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		if copied {
			names = append(names, name)
		}
	}
	backup.SyncFolder(folder)
	return names, nil
}

func backupDatabase(ctx context.Context, p config.Database, to string) error {
	db, err := gormstore.Open(ctx, p.URL, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(db.Backup(ctx, to), db.Close())
}

// backupFile copies a file of keys, if it exists.
func backupFile(from, to string) (copied bool, err error) {
	content, err := os.ReadFile(from) //nolint:gosec // the operator chose DATA_DIR
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the operator chose the folder
	if err != nil {
		return false, err
	}
	_, err = f.Write(content)
	return true, errors.Join(err, f.Sync(), f.Close())
}
