package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/application/market/selling"
)

// Export is what an archive is made of.
type Export struct {
	Sources    []Source          // the one with the events first: one that is relayed meanwhile is then in both, not in none
	Photos     selling.BlobStore // nil without photos
	Program    string
	Keys       map[string]string // the fingerprints of the keys, by their settings
	Now        time.Time
	Anonymiser *Anonymiser // nil: everything as it is
	Report     func(what string, done, of int64)
}

// Result says what is in an archive.
type Result struct {
	Manifest
	Lost []string // the names of pictures that are missing, or not what was stored
}

// sealed are the columns with values that only a key opens, which is not in the database.
var sealed = map[string]string{"second_factors": "secret", "outbox": "secret"}

// opened is a source with its snapshot.
type opened struct {
	snapshot
	tables []Table
}

// Write writes an archive of all sources at one moment, while they may be in use.
func (e Export) Write(ctx context.Context, to io.Writer) (Result, error) {
	header := Header{
		Format: format, Version: formatVersion, Program: e.Program, CreatedAt: e.Now.UTC(), Anonymised: e.Anonymiser != nil,
		Schema: map[string]int64{}, Keys: e.Keys,
	}
	if header.Anonymised {
		header.Keys = nil
	}
	var all []opened
	defer func() {
		for _, s := range all {
			_ = s.Rollback()
		}
	}()
	for _, source := range e.Sources {
		s, versions, err := source.open(ctx)
		if err != nil {
			return Result{}, err
		}
		all = append(all, s)
		maps.Copy(header.Schema, versions)
		header.Tables, header.Engine = append(header.Tables, s.tables...), string(s.dialect)
	}
	if err := e.Anonymiser.classified(header.Tables); err != nil {
		return Result{}, err
	}
	return e.write(ctx, newWriter(to, e.Now), header, all)
}

// open refuses a database whose content is incomplete.
func (s Source) open(ctx context.Context) (o opened, versions map[string]int64, err error) {
	if err = errors.Join(demostore.CheckFinished(ctx, s.DB), CheckFinished(ctx, s.DB)); err != nil {
		return o, nil, err
	}
	if versions, err = s.versions(ctx); err != nil {
		return o, nil, err
	}
	if o.snapshot, err = openSnapshot(ctx, s.DB); err != nil {
		return o, nil, err
	}
	if o.tables, err = s.tables(ctx, o.snapshot, versions); err != nil {
		_ = o.Rollback()
	}
	return o, versions, err
}

func (e Export) write(ctx context.Context, w *writer, h Header, all []opened) (r Result, err error) {
	r.Manifest = Manifest{Tables: map[string]Total{}, Sealed: map[string]int64{}, Photos: newTotal()}
	if err := w.addDocument(headerName, h); err != nil {
		return r, err
	}
	for _, s := range all {
		for _, t := range s.tables {
			if err := e.writeTable(ctx, w, s.snapshot, t, &r.Manifest); err != nil {
				return r, err
			}
		}
	}
	if e.Photos != nil && e.Anonymiser == nil {
		for _, s := range all {
			if err := e.writePhotos(ctx, w, s, &r); err != nil {
				return r, err
			}
		}
	}
	return r, errors.Join(w.addDocument(manifestName, r.Manifest), w.close())
}

func newTotal() Total {
	s := newSum()
	return s.total()
}

func (e Export) writeTable(ctx context.Context, w *writer, s snapshot, t Table, m *Manifest) error {
	to := tableWriter{to: w, table: t, sum: newSum()}
	secret := t.place(sealed[t.Name])
	var done int64
	err := s.each(ctx, t, func(values []any) error {
		if !e.Anonymiser.change(t, values) {
			return nil
		}
		if done++; done%1000 == 0 {
			e.Report(t.Name, done, 0)
		}
		if secret >= 0 && values[secret] != nil {
			m.Sealed[t.Name]++
		}
		return to.add(values)
	})
	if err == nil {
		err = to.flush()
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if to.sum.rows > 0 {
		m.Tables[t.Name] = to.sum.total()
	}
	return nil
}

// CheckFinished returns an error if the database holds a part of an archive.
func CheckFinished(ctx context.Context, db *gormstore.DB) error {
	begun, err := db.HasTable(ctx, recordTable)
	if err == nil && begun {
		err = ErrUnfinished
	}
	return err
}
