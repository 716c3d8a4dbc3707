package openlibrary

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/domain/book"
)

// batch is how many rows a transaction adds.
const batch = 50_000

// layout is the number of the layout of the tables. A file with another one is made again.
const layout = 2

// create makes the tables. Authors are there until the editions have their names.
var create = []string{
	"CREATE TABLE source (path TEXT NOT NULL, size INTEGER NOT NULL, changed_at INTEGER NOT NULL)",
	"CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
	`CREATE TABLE editions (isbn INTEGER NOT NULL, name TEXT NOT NULL, authors TEXT NOT NULL, edition INTEGER NOT NULL,
		year INTEGER NOT NULL)`,
	fmt.Sprintf("PRAGMA user_version = %d", layout),
	"PRAGMA temp_store = FILE", // an index of millions of rows is sorted in files
}

// Prepare reads a dump of editions, with the names of a dump of authors beside it, into a file, which then answers for
// it. Its memory does not grow with the dump. If it is interrupted, nothing is left but work for the next time.
func Prepare(ctx context.Context, path, into string, report func(what string, done, of int64)) error {
	partial, err := os.CreateTemp(filepath.Dir(into), ".isbn-table-*")
	if err != nil {
		return err
	}
	defer func() { removeAll(partial.Name()) }()
	if err := partial.Close(); err != nil {
		return err
	}
	db, err := gormstore.Open(ctx, "sqlite:"+partial.Name(), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	p := preparation{ctx: ctx, report: report}
	p.write, _ = db.SQL()
	if err := errors.Join(p.all(path), db.Close()); err != nil {
		return err
	}
	return os.Rename(partial.Name(), into)
}

func removeAll(path string) {
	for _, end := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(path + end)
	}
}

// preparation fills a file.
type preparation struct {
	ctx     context.Context //nolint:containedctx // it lives as long as the preparation
	write   *sql.DB
	tx      *sql.Tx
	author  *sql.Stmt // the name of one
	name    *sql.Stmt // adds one
	edition *sql.Stmt // adds one
	rows    int
	report  func(what string, done, of int64)
}

func (p *preparation) all(path string) error {
	for _, statement := range create {
		if _, err := p.write.ExecContext(p.ctx, statement); err != nil {
			return err
		}
	}
	for _, part := range []string{authorsOf(path), path} {
		if part == "" {
			continue
		}
		if err := p.read(part); err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
	}
	p.report("sorting", 0, 0)
	for _, statement := range []string{"DROP TABLE authors", "CREATE INDEX editions_isbn ON editions (isbn)"} {
		if _, err := p.write.ExecContext(p.ctx, statement); err != nil {
			return err
		}
	}
	info, err := os.Stat(path)
	if err == nil {
		_, err = p.write.ExecContext(p.ctx, "INSERT INTO source (path, size, changed_at) VALUES (?, ?, ?)",
			path, info.Size(), info.ModTime().UnixMicro())
	}
	return err
}

// authorsOf returns the dump of authors beside one of editions, of the same day; empty if there is none.
func authorsOf(path string) string {
	folder, name := filepath.Split(path)
	beside := folder + strings.Replace(name, "editions", "authors", 1)
	if _, err := os.Stat(beside); beside == path || errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return beside
}

func (p *preparation) read(path string) error {
	d, err := openDump(path)
	if err != nil {
		return err
	}
	defer func() { _ = d.file.Close() }()
	defer p.discard()
	if err := p.begin(); err != nil {
		return err
	}
	err = d.each(p.ctx, func(kind, key string, record []byte) error {
		var err error
		switch kind {
		case "/type/author":
			err = p.addAuthor(key, record)
		case "/type/edition":
			err = p.addEdition(record)
		}
		if err != nil || p.rows < batch {
			return err
		}
		p.report("reading "+filepath.Base(path)+", in KB", d.read>>10, max(1, d.size>>10))
		if err := p.tx.Commit(); err != nil {
			return err
		}
		return p.begin()
	})
	if err != nil {
		return err
	}
	return p.tx.Commit()
}

// discard leaves out what is not committed; of a transaction that has ended, that is nothing.
func (p *preparation) discard() {
	if p.tx != nil {
		_ = p.tx.Rollback()
	}
}

// begin begins a transaction with its statements.
func (p *preparation) begin() error {
	p.rows = 0
	tx, err := p.write.BeginTx(p.ctx, nil)
	if err != nil {
		return err // p.tx is the transaction before, not nil
	}
	p.tx = tx
	for statement, text := range map[**sql.Stmt]string{
		&p.author:  "SELECT name FROM authors WHERE id = ?",
		&p.name:    "INSERT INTO authors (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING",
		&p.edition: "INSERT INTO editions (isbn, name, authors, edition, year) VALUES (?, ?, ?, ?, ?)",
	} {
		if *statement, err = p.tx.PrepareContext(p.ctx, text); err != nil { //nolint:sqlclosecheck // the transaction closes it
			return err
		}
	}
	return nil
}

func (p *preparation) addAuthor(key string, record []byte) error {
	var a struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(record, &a) != nil || a.Name == "" || number(key) == 0 {
		return nil //nolint:nilerr // one record that cannot be read is left out
	}
	p.rows++
	_, err := p.name.ExecContext(p.ctx, number(key), a.Name)
	return err
}

func (p *preparation) addEdition(record []byte) error {
	e, isbns, s := parseEdition(record)
	if len(isbns) == 0 {
		return nil
	}
	names, err := p.names(e)
	if err != nil {
		return err
	}
	s.Authors = joined(names)
	for _, isbn := range isbns {
		p.rows++
		// Its column is of integers.
		if _, err := p.edition.ExecContext(p.ctx, string(isbn), s.Name, s.Authors, s.Edition, s.Year); err != nil {
			return err
		}
	}
	return nil
}

// names returns those of the authors or, if none is known, what stands on the title page.
func (p *preparation) names(e edition) (names []string, err error) {
	for _, a := range e.Authors {
		var name string
		switch err := p.author.QueryRowContext(p.ctx, number(a.Key)).Scan(&name); {
		case err == nil:
			names = append(names, name)
		case !errors.Is(err, sql.ErrNoRows):
			return nil, err
		}
	}
	if len(names) == 0 {
		names = []string{strings.TrimPrefix(e.By, "by ")}
	}
	return names, nil
}

// Table answers for a dump that was prepared.
type Table struct {
	db   *gormstore.DB
	read *sql.DB
}

// ErrNotPrepared means that a dump was not read yet, or has changed since, or was read by an earlier release.
var ErrNotPrepared = errors.New("octavo serve reads it at its next start")

// Open opens what Prepare has made of a dump.
func Open(ctx context.Context, path, prepared string) (*Table, error) {
	if _, err := os.Stat(prepared); err != nil {
		return nil, ErrNotPrepared
	}
	db, err := gormstore.Open(ctx, "sqlite:"+prepared, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	t := &Table{db: db}
	_, t.read = db.SQL()
	if err := t.mustBeOf(ctx, path); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return t, nil
}

func (t *Table) mustBeOf(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	var has, size, changed int64
	var of string
	if err := t.read.QueryRowContext(ctx, "PRAGMA user_version").Scan(&has); err != nil {
		return err
	}
	if has != layout {
		return ErrNotPrepared
	}
	if err := t.read.QueryRowContext(ctx, "SELECT path, size, changed_at FROM source").Scan(&of, &size, &changed); err != nil {
		return err
	}
	if of != path || size != info.Size() || changed != info.ModTime().UnixMicro() {
		return ErrNotPrepared
	}
	return nil
}

// Close closes the file.
func (t *Table) Close() error { return t.db.Close() }

// Len returns the number of editions.
func (t *Table) Len() (n int) {
	_ = t.read.QueryRow("SELECT COALESCE(max(rowid), 0) FROM editions").Scan(&n) //nolint:noctx // a number to show
	return n
}

// find prefers the record that says most.
const find = `SELECT name, authors, edition, year FROM editions WHERE isbn = ?
	ORDER BY authors = '', edition DESC, year = 0, rowid LIMIT 1`

// FindISBN returns what the dump says of an ISBN.
func (t *Table) FindISBN(isbn book.ISBN) (s book.Suggestion, found bool, err error) {
	err = t.read.QueryRow(find, string(isbn)).Scan(&s.Name, &s.Authors, &s.Edition, &s.Year) //nolint:noctx // a look-up in a local file
	if errors.Is(err, sql.ErrNoRows) {
		return book.Suggestion{}, false, nil
	}
	return s, err == nil, err
}
