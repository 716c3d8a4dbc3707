package archive_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/archive"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

func TestADamagedArchiveIsRefusedBeforeAnythingIsImported(t *testing.T) {
	db := database.SQLite(t, schema...)
	fill(t, db)
	whole, _ := export(t, db, nil)
	var packed bytes.Buffer
	into := gzip.NewWriter(&packed)
	must.Get(into.Write(bytes.Repeat([]byte("id,name\n"), 200)))(t)
	must.Do(t, into.Close())
	for name, content := range map[string][]byte{"nothing": nil, "text": []byte("id,name\n"), "compressed": packed.Bytes()} {
		if _, err := archive.Open(t.Context(), bytes.NewReader(content), func(string, int64, int64) {}); !errors.Is(err, archive.ErrForeign) {
			t.Errorf("%s: %v, want %v", name, err, archive.ErrForeign)
		}
	}
	damaged := map[string][]byte{"cut": whole[:len(whole)-20], "half": whole[:len(whole)/2]}
	for _, share := range []int{3, 5, 7, 9} {
		changed := slices.Clone(whole)
		changed[len(changed)*share/10] ^= 1
		damaged["changed at "+string(rune('0'+share))] = changed
	}
	for name, content := range damaged {
		if _, err := archive.Open(t.Context(), bytes.NewReader(content), func(string, int64, int64) {}); !errors.Is(err, archive.ErrDamaged) {
			t.Errorf("%s: %v, want %v", name, err, archive.ErrDamaged)
		}
	}
}

func TestAnArchiveGoesOnlyIntoAnEmptyDatabase(t *testing.T) {
	for engine, open1 := range engines() {
		t.Run(engine, func(t *testing.T) {
			from, to := database.SQLite(t, schema...), open1(t)
			fill(t, from)
			content, _ := export(t, from, nil)
			must.Do(t, to.Write.Exec("INSERT INTO blocks (id, by_id, of_id, created_at) VALUES (1, 2, 3, 4)").Error)
			must.Refuse(t, load(t.Context(), to, open(t, content)), archive.ErrNotEmpty, "it has a row")
			must.Do(t, to.Write.Exec("DELETE FROM blocks").Error)
			must.Do(t, load(t.Context(), to, open(t, content)))
		})
	}
}

// interrupted imports until so many parts are there.
func interrupted(t *testing.T, db *gormstore.DB, a *archive.Archive, parts int) error {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	i := into(db)
	i.Report = func(what string, _, _ int64) {
		if parts--; what == "rows" && parts <= 0 {
			cancel()
		}
	}
	return i.Read(ctx, a)
}

func TestAnInterruptedImportGoesOnWithTheSameArchiveAlone(t *testing.T) {
	for engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			from, to := database.SQLite(t, schema...), database.SQLite(t)
			if engine == "postgres" {
				to = database.Postgres(t)
			}
			fill(t, from)
			content, _ := export(t, from, nil)
			whole := open(t, content)
			for _, parts := range []int{5, 20, 45} {
				must.Refuse(t, interrupted(t, to, whole, parts), context.Canceled, "it is interrupted")
				must.Refuse(t, archive.CheckFinished(t.Context(), to), archive.ErrUnfinished, "a part can be used")
			}
			must.Do(t, from.Write.Exec("UPDATE blocks SET created_at = 7").Error)
			other, _ := export(t, from, nil)
			err := load(t.Context(), to, open(t, other))
			must.Refuse(t, err, archive.ErrUnfinished, "another archive goes on")
			if !strings.Contains(err.Error(), "another file") {
				t.Errorf("it says %v", err)
			}
			for range 2 { // the second one finds that all is there
				must.Do(t, load(t.Context(), to, whole))
			}
			must.Do(t, into(to).Finish(t.Context()))
			must.Do(t, archive.CheckFinished(t.Context(), to))
			must.Refuse(t, load(t.Context(), to, whole), archive.ErrNotEmpty, "it goes in twice")
			var left int64
			must.Do(t, from.Read.Raw("SELECT count(*) FROM blocks").Scan(&left).Error)
			var there int64
			must.Do(t, to.Read.Raw("SELECT count(*) FROM blocks").Scan(&there).Error)
			if there != left || left != 2 {
				t.Errorf("%d rows, want %d", there, left)
			}
		})
	}
}

func TestAnArchiveOfAnUnknownSchemaIsRefused(t *testing.T) {
	db := database.SQLite(t, schema...)
	content, _ := export(t, db, nil)
	for version, says := range map[int64]string{99_999: "use a newer program", 7: "development version"} {
		a := open(t, content)
		a.Header.Schema["market"] = version
		if err := load(t.Context(), database.SQLite(t), a); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

func TestIndexesAreTheSameAfterAnImport(t *testing.T) {
	for engine, open1 := range engines() {
		t.Run(engine, func(t *testing.T) {
			from, fresh, to := database.SQLite(t, schema...), open1(t), open1(t)
			content, _ := export(t, from, nil)
			must.Do(t, load(t.Context(), to, open(t, content)))
			must.Do(t, into(to).Finish(t.Context()))
			query := "SELECT sql FROM sqlite_schema WHERE sql <> '' ORDER BY sql"
			if engine == "postgres" {
				query = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexdef"
			}
			var before, after []string
			must.Do(t, fresh.Read.Raw(query).Scan(&before).Error)
			must.Do(t, to.Read.Raw(query).Scan(&after).Error)
			if !slices.Equal(before, after) || len(before) < 100 {
				t.Errorf("there are\n%s\nnot\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
			}
		})
	}
}
