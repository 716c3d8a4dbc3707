package main

import (
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

func TestMigrateSaysWhoWaitsForHowLong(t *testing.T) {
	got := describePauses([]gormstore.Pause{
		{Component: "market", Rows: 1, Takes: 2 * time.Microsecond},
		{Component: "market", File: "00600_more.sql", Tables: []string{"books", "orders"}, Rows: 1_500_000, Takes: 3 * time.Second},
		{Component: "auth", File: "00600_more.sql", Tables: []string{"users"}},
		{Component: "inbox", Takes: time.Second},
	})
	want := []string{
		"market 00600_more.sql: nobody can write to books, orders for about 3s (1500000 rows)",
		"inbox: nobody can write to the database for about 1s",
		"2 migrations block writing for less than a second",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := describePauses(nil); len(got) != 0 {
		t.Errorf("without pauses: %q", got)
	}
}
