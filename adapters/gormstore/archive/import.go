package archive

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/application/market/selling"
)

// Import is where an archive goes.
type Import struct {
	Targets []Source
	Photos  selling.BlobStore // nil without a market
	Report  func(what string, done, of int64)

	archive *Archive
	all     []target
	files   int64 // read
	rows    int64
}

// target is one of the databases.
type target struct {
	Source
	tables []Table // of the archive
	record
	loader
}

// ErrNotEmpty refuses a database with content.
var ErrNotEmpty = errors.New("the database is not empty: an archive goes only into a new one")

// Read imports an archive: it makes the schema that the archive has, adds all rows and pictures, and compares them with
// the archive. An import that was interrupted goes on where it stopped. The databases cannot be used before Finish.
func (i Import) Read(ctx context.Context, a *Archive) error {
	i.archive = a
	defer func() {
		for _, t := range i.all {
			if t.loader != nil {
				_ = t.close(ctx)
			}
		}
	}()
	for _, component := range a.Header.components() {
		if !slices.ContainsFunc(i.Targets, func(s Source) bool { return s.has(component) }) {
			return fmt.Errorf("the archive has %s, which this program does not know", component)
		}
	}
	for _, s := range i.Targets {
		t, err := i.open(ctx, s)
		if err != nil {
			return err
		}
		if i.all = append(i.all, t); len(i.all) == 1 && t.stage == verified { // the first one is the last to be marked
			return nil
		}
	}
	if err := i.load(ctx); err != nil {
		return err
	}
	for _, t := range slices.Backward(i.all) {
		if err := i.complete(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (s Source) has(component string) bool {
	return slices.ContainsFunc(s.Schema, func(m gormstore.Migrations) bool { return m.Name == component })
}

// open makes a database ready for the archive, or for its rest.
func (i *Import) open(ctx context.Context, s Source) (t target, err error) {
	h := i.archive.Header
	t.Source = s
	for _, table := range h.Tables {
		if s.has(table.Component) {
			t.tables = append(t.tables, table)
		}
	}
	var begun bool
	if t.record, begun, err = findRecord(ctx, s.DB, i.archive.id); err != nil || t.stage == verified {
		return t, err
	}
	if !begun {
		if err := i.prepare(ctx, t); err != nil {
			return t, err
		}
	}
	t.loader, err = newLoader(ctx, s.DB)
	return t, err
}

// prepare makes the schema that the archive has in an empty database.
func (i *Import) prepare(ctx context.Context, t target) error {
	if err := t.mustBeEmpty(ctx); err != nil {
		return err
	}
	for _, m := range t.Schema {
		if version := i.archive.Header.Schema[m.Name]; version > 0 {
			i.Report("schema of "+m.Name, 0, 0)
			if err := t.DB.MigrateTo(ctx, m, version); err != nil {
				return err
			}
		}
	}
	if err := t.mustFit(ctx, i.archive.Header); err != nil {
		return err
	}
	return begin(ctx, t.DB, i.archive.id, t.tables)
}

func (t target) mustBeEmpty(ctx context.Context) error {
	versions, err := t.versions(ctx)
	if err != nil {
		return err
	}
	_, read := t.DB.SQL()
	tables, err := t.Source.tables(ctx, read, versions)
	for _, table := range tables {
		var used bool
		query := "SELECT EXISTS (SELECT 1 FROM " + quote(table.Name) + ")"
		if err = read.QueryRowContext(ctx, query).Scan(&used); err != nil {
			break
		}
		if used {
			return fmt.Errorf("%w; it has rows in %s", ErrNotEmpty, table.Name)
		}
	}
	return gormstore.WrapUnavailable(err)
}

// mustFit compares the tables of the database with those of the archive.
func (t target) mustFit(ctx context.Context, h Header) error {
	_, read := t.DB.SQL()
	tables, err := t.Source.tables(ctx, read, h.Schema)
	if err != nil {
		return err
	}
	for _, wanted := range t.tables {
		fits := func(is Table) bool { return is.Name == wanted.Name && slices.Equal(is.Columns, wanted.Columns) }
		if !slices.ContainsFunc(tables, fits) {
			return fmt.Errorf("the table %s of the archive is not that of this program", wanted.Name)
		}
	}
	return nil
}

// load adds the rows and the pictures.
func (i *Import) load(ctx context.Context) error {
	return i.archive.each(ctx, func(name string, _ int64, r io.Reader) error {
		i.files++
		switch table, isPart := tableOfPart(name); {
		case isPart:
			return i.loadPart(ctx, table, name, r)
		case strings.HasPrefix(name, photosFolder):
			return i.loadPicture(ctx, strings.TrimPrefix(name, photosFolder), r)
		}
		return nil
	})
}

func (i *Import) loadPart(ctx context.Context, table, name string, r io.Reader) error {
	for _, to := range i.all {
		at := slices.IndexFunc(to.tables, func(t Table) bool { return t.Name == table })
		if at < 0 {
			continue
		}
		rows := rowReader{lines: bufio.NewReaderSize(r, 64<<10), table: to.tables[at], part: name}
		if i.files <= to.files {
			return nil
		}
		err := to.load(ctx, rows.table, rows.next, i.files)
		if err != nil {
			return fmt.Errorf("import %s, after line %d: %w", name, rows.n, err)
		}
		i.rows += int64(rows.n)
		i.Report("rows", i.rows, i.archive.Manifest.Rows())
	}
	return nil
}

// loadPicture stores a picture, again if an import goes on.
func (i *Import) loadPicture(ctx context.Context, key string, r io.Reader) error {
	if i.Photos == nil {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(r, maxPicture))
	if err == nil {
		err = i.Photos.PutBlob(ctx, key, data)
	}
	return err
}
