package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/job"
)

func TestAnOperatorSeesRetriesAndDropsWorkThatWasGivenUp(t *testing.T) {
	env := map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "data")}
	if _, errs, code := octavo(t, env, "demo", "--books", "5", "--users", "3"); code != 0 {
		t.Fatalf("%d: %s", code, errs)
	}
	db, err := gormstore.Open(t.Context(), "sqlite:"+filepath.Join(env["DATA_DIR"], "octavo.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	err = marketstore.New(db, nil).Atomically(t.Context(), func(ctx context.Context, in market.Stores) error {
		return errors.Join(
			in.AddJob(ctx, job.Job{ID: 7, Kind: market.ForgetHits, Subject: 8, Attempts: 8, Dead: true, Error: "no such column"}),
			in.AddJob(ctx, job.Job{ID: 9, Kind: market.MatchBook, Subject: 10}))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		command   string
		code      int
		out, errs string
	}{
		{"work list", 0, "7   dead   forget_hits  8        8       -     no such column\n9   due    match_book   10       0       -     \n", ""},
		{"work retry", 2, "", "--dead"},
		{"work retry x", 2, "", "ID"},
		{"work retry --dead", 0, "Tried again: 1\n", ""},
		{"work list", 0, "7   due    forget_hits  8        0       -     \n", ""},
		{"work drop 7 99", 1, "Dropped: 1\n", "1 ID was not found"},
		{"work drop 9", 0, "Dropped: 1\n", ""},
	} {
		out, errs, code := octavo(t, env, strings.Fields(step.command)...)
		if code != step.code || !strings.Contains(out, step.out) || !strings.Contains(errs, step.errs) {
			t.Errorf("%s: %d, %q, %q", step.command, code, out, errs)
		}
	}
}
