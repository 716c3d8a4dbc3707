package gormstore_test

import "testing"

func TestTheReadersOfSQLiteShareABudgetForTheirCaches(t *testing.T) {
	write, read := openFile(t).SQL()
	var writers, each int
	if err := write.QueryRowContext(t.Context(), "PRAGMA cache_size").Scan(&writers); err != nil || writers != -8_000 {
		t.Errorf("the writer's cache: %d, %v", writers, err)
	}
	if err := read.QueryRowContext(t.Context(), "PRAGMA cache_size").Scan(&each); err != nil {
		t.Fatal(err)
	}
	readers := read.Stats().MaxOpenConnections
	if each < -2_000 && readers*each < -28_000 || each > -2_000 {
		t.Errorf("%d readers have a cache of %d kB each", readers, -each)
	}
}
