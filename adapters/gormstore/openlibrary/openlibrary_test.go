package openlibrary_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/openlibrary"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/test/must"
)

const (
	authors = "/type/author\t/authors/OL1A\t5\t2024-01-01T00:00:00.0\t{\"name\": \"Thomas H. Cormen\", \"key\": \"/authors/OL1A\"}\n" +
		"/type/redirect\t/authors/OL2A\t5\t2024-01-01T00:00:00.0\t{\"location\": \"/authors/OL1A\"}\n" +
		"/type/author\t/authors/OL13000000A\t5\t2024-01-01T00:00:00.0\t{\"name\": \"Charles E. Leiserson\"}\n"
	editions = `/type/edition	/books/OL1M	3	2024-01-01T00:00:00.0	{"title": "Introduction to Algorithms", "isbn_10": ["0262033844"], "isbn_13": ["978-0-262-03384-8"], "edition_name": "3rd ed.", "authors": [{"key": "/authors/OL1A"}, {"key": "/authors/OL13000000A"}], "publish_date": "2009"}
/type/edition	/books/OL2M	3	2024-01-01T00:00:00.0	{"title": "Introduction to Algorithms", "isbn_13": ["9780262033848"]}
/type/edition	/books/OL3M	3	2024-01-01T00:00:00.0	{"title": "Signals", "subtitle": "a first course", "isbn_10": ["0306406152"], "by_statement": "by Ada Byron", "authors": [{"key": "/authors/OL99A"}], "edition_name": "New ed.", "publish_date": 1980}
/type/edition	/books/OL4M	3	2024-01-01T00:00:00.0	{"title": "No number", "isbn_10": ["123"], "isbn_13": []}
/type/edition	/books/OL5M	3	2024-01-01T00:00:00.0	{"title": 7}
/type/edition	half a line
/type/work	/works/OL1W	3	2024-01-01T00:00:00.0	{"title": "A work"}
`
)

func quiet(string, int64, int64) {}

// dumps writes both dumps, packed or not, and returns the one of editions.
func dumps(t *testing.T, packed bool, editions string) string {
	t.Helper()
	folder, end := t.TempDir(), ".txt"
	if packed {
		end = ".txt.gz"
	}
	for name, text := range map[string]string{"authors": authors, "editions": editions} {
		var b bytes.Buffer
		if packed {
			w := gzip.NewWriter(&b)
			must.Get(w.Write([]byte(text)))(t)
			must.Do(t, w.Close())
		} else {
			b.WriteString(text)
		}
		must.Do(t, os.WriteFile(filepath.Join(folder, "ol_dump_"+name+"_2026-10-31"+end), b.Bytes(), 0o600))
	}
	return filepath.Join(folder, "ol_dump_editions_2026-10-31"+end)
}

func TestADumpAnswersForItsISBNs(t *testing.T) {
	for _, packed := range []bool{true, false} {
		path := dumps(t, packed, editions)
		if is, err := openlibrary.IsDump(path); !is || err != nil {
			t.Fatalf("it is no dump: %v", err)
		}
		prepared := filepath.Join(t.TempDir(), "isbn-table.db")
		must.Refuse(t, must.Err(openlibrary.Open(t.Context(), path, prepared)), openlibrary.ErrNotPrepared, "it is there before it is read")
		must.Do(t, openlibrary.Prepare(t.Context(), path, prepared, quiet))
		table := must.Get(openlibrary.Open(t.Context(), path, prepared))(t)
		for isbn, want := range map[book.ISBN]book.Suggestion{
			"9780262033848": {Name: "Introduction to Algorithms", Authors: "Thomas H. Cormen, Charles E. Leiserson", Edition: 3, Year: 2009},
			"9780306406157": {Name: "Signals: a first course", Authors: "Ada Byron", Year: 1980},
		} {
			if got, found, err := table.FindISBN(isbn); got != want || !found || err != nil {
				t.Errorf("%s is %+v, %v, %v, want %+v", isbn, got, found, err, want)
			}
		}
		if got, found, err := table.FindISBN("9783161484100"); found || err != nil {
			t.Errorf("an unknown ISBN is %+v, %v", got, err)
		}
		if n := table.Len(); n != 3 {
			t.Errorf("it has %d editions", n)
		}
		must.Do(t, table.Close())
		must.Do(t, os.Chtimes(path, time.Time{}, time.Unix(1e9, 0)))
		must.Refuse(t, must.Err(openlibrary.Open(t.Context(), path, prepared)), openlibrary.ErrNotPrepared, "it answers for another dump")
	}
}

func TestADumpThatAnEarlierReleaseHasReadIsReadAgain(t *testing.T) {
	path, prepared := dumps(t, true, editions), filepath.Join(t.TempDir(), "isbn-table.db")
	must.Do(t, openlibrary.Prepare(t.Context(), path, prepared, quiet))
	db := must.Get(gormstore.Open(t.Context(), "sqlite:"+prepared, slog.New(slog.DiscardHandler)))(t)
	write, _ := db.SQL()
	for _, statement := range []string{"ALTER TABLE editions DROP COLUMN year", "PRAGMA user_version = 0"} {
		must.Get(write.ExecContext(t.Context(), statement))(t)
	}
	must.Do(t, db.Close())
	must.Refuse(t, must.Err(openlibrary.Open(t.Context(), path, prepared)), openlibrary.ErrNotPrepared, "it answers without years")
	must.Do(t, openlibrary.Prepare(t.Context(), path, prepared, quiet))
	table := must.Get(openlibrary.Open(t.Context(), path, prepared))(t)
	defer func() { _ = table.Close() }()
	if got, _, err := table.FindISBN("9780262033848"); err != nil || got.Year != 2009 {
		t.Errorf("it is %+v, %v", got, err)
	}
}

func TestAnInterruptedDumpLeavesNothingBehind(t *testing.T) {
	path, folder := dumps(t, true, editions), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	err := openlibrary.Prepare(ctx, path, filepath.Join(folder, "isbn-table.db"), func(what string, _, _ int64) {
		if what == "sorting" {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("there are %v", left)
	}
}

func TestATableOfTheOperatorIsNoDump(t *testing.T) {
	for _, text := range []string{"", "isbn,name\n", "\x1f\x8b"} {
		path := filepath.Join(t.TempDir(), "isbn.csv")
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		if is, _ := openlibrary.IsDump(path); is {
			t.Errorf("%q is taken for a dump", text)
		}
	}
}

func TestARecordThatIsTooLongIsLeftOut(t *testing.T) {
	long := `/type/edition	/books/OL9M	3	x	{"title": "` + strings.Repeat("x", 2<<20) + "\"}\n"
	path, prepared := dumps(t, true, long+editions), filepath.Join(t.TempDir(), "isbn-table.db")
	must.Do(t, openlibrary.Prepare(t.Context(), path, prepared, quiet))
	table := must.Get(openlibrary.Open(t.Context(), path, prepared))(t)
	defer func() { _ = table.Close() }()
	if n := table.Len(); n != 3 {
		t.Errorf("it has %d editions", n)
	}
}
