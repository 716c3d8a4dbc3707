package gormstore_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

const writesInto = "OCTAVO_TEST_WRITES_INTO"

// TestWriteUntilKilled is the other process. It says what it has committed.
func TestWriteUntilKilled(t *testing.T) {
	file := os.Getenv(writesInto)
	if file == "" {
		t.Skip("part of another test")
	}
	db, err := gormstore.Open(t.Context(), "sqlite:"+file, quiet())
	if err != nil {
		t.Fatal(err)
	}
	c, _ := db.SQL()
	var n int
	if err := c.QueryRowContext(t.Context(), "SELECT ifnull(max(n), 0) FROM things").Scan(&n); err != nil {
		t.Fatal(err)
	}
	for ; ; n++ {
		do(t, c, rowsOf(n+1, 100))
		if _, err := fmt.Println(n + 1); err != nil {
			return
		}
	}
}

// killAfter starts it, and gives the last of some commits that it told of.
func killAfter(t *testing.T, file string, commits int) (last int) {
	t.Helper()
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWriteUntilKilled$")
	other.Env = append(os.Environ(), writesInto+"="+file)
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	told := bufio.NewScanner(out)
	for range commits {
		if !told.Scan() {
			t.Fatal("the other process has ended")
		}
		if _, err := fmt.Sscan(told.Text(), &last); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for told.Scan() {
		_, _ = fmt.Sscan(told.Text(), &last)
	}
	_ = other.Wait()
	return last
}

func TestWhatAKilledProcessHasCommittedIsThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "octavo.db")
	do(t, connect(t, file, ""), things)
	for round := range 12 {
		last := killAfter(t, file, 3+5*round)
		c := connect(t, file, "")
		var rows, least, most int
		if _, err := sound(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if err := c.QueryRowContext(t.Context(), "SELECT count(*), min(n), max(n) FROM things").Scan(&rows, &least, &most); err != nil {
			t.Fatal(err)
		}
		if rows != 100 || least != most || least < last || least > last+1 {
			t.Fatalf("%d rows of commits %d to %d, after %d was told of", rows, least, most, last)
		}
		_ = c.Close()
	}
}
