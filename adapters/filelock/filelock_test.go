package filelock_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/octavo-books/octavo/adapters/filelock"
	"github.com/octavo-books/octavo/test/must"
)

const toLock = "FILELOCK_TEST_PATH"

func TestMain(m *testing.M) {
	if path := os.Getenv(toLock); path != "" { // this is the child process
		if _, err := filelock.Acquire(path); err != nil {
			panic(err)
		}
		println("locked")
		select {}
	}
	os.Exit(m.Run())
}

func TestALockNamesItsProcessAndEndsWhenTheProcessIsKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "serve.lock")
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), toLock+"="+path)
	said := must.Get(other.StderrPipe())(t)
	must.Do(t, other.Start())
	defer func() { _ = other.Process.Kill() }()
	if line, err := bufio.NewReader(said).ReadString('\n'); line != "locked\n" {
		t.Fatalf("%q, %v", line, err)
	}
	var held *filelock.HeldError
	if _, err := filelock.Acquire(path); !errors.As(err, &held) || held.PID != other.Process.Pid {
		t.Errorf("%v, want a lock of process %d", err, other.Process.Pid)
	}
	must.Do(t, other.Process.Kill())
	_ = other.Wait()
	lock, err := filelock.Acquire(path)
	if err != nil {
		t.Fatalf("the lock outlives its process: %v", err)
	}
	if _, err := filelock.Acquire(path); !errors.As(err, &held) || held.PID != os.Getpid() {
		t.Errorf("a second lock in this process: %v", err)
	}
	must.Do(t, lock.Release())
	again, err := filelock.Acquire(path)
	if err != nil {
		t.Fatalf("after the release: %v", err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
}

func TestALockInAMissingFolderIsAnError(t *testing.T) {
	if _, err := filelock.Acquire(filepath.Join(t.TempDir(), "missing", "serve.lock")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
