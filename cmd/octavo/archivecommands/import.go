package archivecommands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/archive"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

// Import is the command that reads one.
type Import struct {
	File      string `arg:"" help:"An archive that octavo export has written."`
	OtherKeys bool   `help:"Import although secrets in the archive need keys that the settings do not have: nobody can read these any more."`
}

// Run imports an archive into empty databases, which nobody serves meanwhile.
func (i *Import) Run(ctx context.Context, s *config.Settings, c terminal.Console) error {
	if err := s.Prepare(); err != nil {
		return err
	}
	release, err := s.LockForServing(config.All)
	if err != nil {
		return err
	}
	defer func() { _ = release() }()
	if i.File == standardOutput {
		return config.Errorf("FILE", "an import reads its file twice: name one, not standard input")
	}
	file, err := openArchive(i.File)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	shown := c.StartProgress("import")
	defer shown.Stop()
	a, err := archive.Open(ctx, file, shown.Report)
	if err == nil {
		err = i.checkKeys(s, a)
	}
	if err == nil {
		err = importArchive(ctx, s, a, shown)
	}
	shown.Stop()
	if err != nil {
		return fmt.Errorf("%s: %w", i.File, err)
	}
	_, err = fmt.Fprintf(c.Out, "%s and %s are imported, and the same as in the archive. The ledger balances.\n",
		terminal.Count(int(a.Manifest.Rows()), "row", "rows"), terminal.Count(int(a.Manifest.Photos.Rows), "picture", "pictures"))
	if has, unknown := hasKeyOf(s, a); err == nil && unknown == nil && !has {
		_, err = fmt.Fprintf(c.Out, "The private key here is not that of the archive: before the first start, set PRIVATE_KEY and PUBLIC_KEY, or copy %s.\n",
			config.KeysFile)
	}
	return err
}

// openArchive opens a file that can be an archive.
func openArchive(name string) (*os.File, error) {
	file, err := os.Open(name) //nolint:gosec // whoever runs the command names it
	if err != nil {
		return nil, config.Errorf("FILE", "%v", err)
	}
	switch found, err := file.Stat(); {
	case err != nil:
		return nil, errors.Join(err, file.Close())
	case found.IsDir():
		return nil, errors.Join(config.Errorf("FILE", "%s is a folder: name the archive, such as campus.tar.gz; a folder of octavo backup is used as DATA_DIR", name), file.Close())
	case found.Size() == 0:
		return nil, errors.Join(config.Errorf("FILE", "%s is empty", name), file.Close())
	}
	return file, nil
}

// hasKeyOf reports whether the settings have the private key of an archive. An anonymised one needs none.
func hasKeyOf(s *config.Settings, a *archive.Archive) (bool, error) {
	current, previous, err := s.Fingerprints()
	wanted := a.Header.Keys["PRIVATE_KEY"]
	same := wanted != "" && (current["PRIVATE_KEY"] == wanted || slices.Contains(previous, wanted))
	return same || a.Header.Anonymised, err
}

// checkKeys refuses an archive with secrets that no key of the settings opens.
func (i *Import) checkKeys(s *config.Settings, a *archive.Archive) error {
	has, err := hasKeyOf(s, a)
	if err != nil || has || len(a.Manifest.Sealed) == 0 || i.OtherKeys {
		return err
	}
	names := map[string]string{"second_factors": "authenticator apps of second factors", "outbox": "codes and links of waiting mails"}
	var lost []string
	for _, table := range slices.Sorted(maps.Keys(a.Manifest.Sealed)) {
		lost = append(lost, fmt.Sprintf("%d %s", a.Manifest.Sealed[table], names[table]))
	}
	return fmt.Errorf("%s could not be read any more, because the private key here is not the one with the fingerprint %s: set PRIVATE_KEY and PUBLIC_KEY, or copy %s of the old DATA_DIR into the new one, before you import; --other-keys imports without them",
		strings.Join(lost, " and "), a.Header.Keys["PRIVATE_KEY"], config.KeysFile)
}

// importArchive imports into the databases of the settings and brings their schema up to date.
func importArchive(ctx context.Context, s *config.Settings, a *archive.Archive, shown *terminal.Progress) error {
	photos, err := s.OpenBlobs()
	if err != nil {
		return err
	}
	var targets []archive.Source
	defer func() {
		for _, t := range targets {
			_ = t.DB.Close()
		}
	}()
	for _, d := range s.Databases() {
		db, err := d.Open(ctx, s.NewLogger(io.Discard))
		if err != nil {
			return err
		}
		targets = append(targets, archive.Source{DB: db, Schema: d.Schema})
	}
	to := archive.Import{Targets: targets, Photos: photos, Report: shown.Report}
	if err := to.Read(ctx, a); err != nil {
		return err
	}
	for _, t := range targets {
		shown.Report("newer schema", 0, 0)
		if err := t.DB.Migrate(ctx, t.Schema...); err != nil {
			return err
		}
	}
	if err := rebuildMarket(ctx, targets[0].DB, a.Header, shown); err != nil {
		return err
	}
	return to.Finish(ctx)
}

// rebuildMarket makes what the archive does not have: the search index and, of an anonymised one, that of requests.
// Then it checks the ledger.
func rebuildMarket(ctx context.Context, db *gormstore.DB, h archive.Header, shown *terminal.Progress) error {
	store := marketstore.New(db, unusedSealer{})
	shown.Report("search index", 0, 0)
	if err := store.MergeSearchIndex(ctx); err != nil {
		return err
	}
	if h.Anonymised {
		shown.Report("index of requests", 0, 0)
		if err := store.IndexAllRequests(ctx); err != nil {
			return err
		}
	}
	shown.Report("ledger", 0, 0)
	wrong, err := buying.NewLedger(store).Check(ctx)
	if err == nil && len(wrong) > 0 {
		err = fmt.Errorf("the ledger does not balance: %d differences, such as order %s: %s; run octavo ledger check where the archive comes from", len(wrong), wrong[0].Order, wrong[0].What)
	}
	return err
}

// unusedSealer is for a store that mails nothing.
type unusedSealer struct{}

func (unusedSealer) Seal([]byte) ([]byte, error) { return nil, errors.New("an import mails nothing") }

func (unusedSealer) Open([]byte) ([]byte, error) { return nil, errors.New("an import mails nothing") }
