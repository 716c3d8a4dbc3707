package main

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

func TestMigrateSaysWhoWaitsForHowLong(t *testing.T) {
	for want, p := range map[string]gormstore.Pause{
		"market 00600_more.sql: nobody can write to books, orders for about 3s (1500000 rows)": {Component: "market", File: "00600_more.sql", Tables: []string{"books", "orders"}, Rows: 1_500_000, Takes: 3 * time.Second},
		"market: nobody can write to the database for less than a second (1 row)":              {Component: "market", Rows: 1, Takes: 2 * time.Microsecond},
		"auth 00600_more.sql: nobody can write to users for less than a second":                {Component: "auth", File: "00600_more.sql", Tables: []string{"users"}},
	} {
		if got := describePause(p); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
