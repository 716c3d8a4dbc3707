// Package filelock lets one process at a time do something, by a lock of the operating
// system on a file. The lock ends with the process, however that ends.
package filelock

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// HeldError says that another process holds the lock.
type HeldError struct {
	PID int // 0 where it is not known
}

// Error implements error.
func (e *HeldError) Error() string {
	if e.PID == 0 {
		return "held by another process"
	}
	return fmt.Sprintf("held by process %d", e.PID)
}

// Lock is a lock that this process holds.
type Lock struct{ file *os.File }

// Acquire locks the file at path, which is made if it is missing, or fails with a
// HeldError. The file is never removed: somebody may be about to lock it.
func Acquire(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the operator chose its folder
	if err != nil {
		return nil, err
	}
	switch held, err := lock(f); {
	case err != nil:
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	case held:
		pid := holder(path)
		return nil, errors.Join(&HeldError{PID: pid}, f.Close())
	}
	if err := writePID(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Lock{f}, nil
}

// Release ends the lock.
func (l *Lock) Release() error { return errors.Join(l.file.Truncate(0), l.file.Close()) }

// writePID writes who holds the lock, for people alone: what counts is the lock.
func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// Whoever has just taken the lock has not signed yet.
const (
	signTries = 50
	signPause = 10 * time.Millisecond
)

func holder(path string) int {
	for range signTries {
		content, err := os.ReadFile(path) //nolint:gosec // as above
		if pid, parsed := strconv.Atoi(strings.TrimSpace(string(content))); err == nil && parsed == nil {
			return pid
		}
		<-time.After(signPause)
	}
	return 0
}
