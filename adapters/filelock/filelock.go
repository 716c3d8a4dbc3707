// Package filelock is a mutex between processes: a lock of the operating system on a file.
// The lock ends with its process, even after a crash.
package filelock

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// HeldError is returned when another process holds the lock.
type HeldError struct {
	PID int // 0 if unknown
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

// Acquire locks the file at path and creates it if it is missing. It does not wait: the
// error is a HeldError if another process holds the lock. The file is never removed,
// because another process may be about to lock it.
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

// Release releases the lock.
func (l *Lock) Release() error { return errors.Join(l.file.Truncate(0), l.file.Close()) }

// writePID records the holder for error messages; the lock does not depend on it.
func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// A process that has just acquired the lock may not have written its PID yet.
const (
	pidAttempts = 50
	pidPause    = 10 * time.Millisecond
)

// holder returns the PID in the file, or 0 if it is not written within half a second.
func holder(path string) int {
	for range pidAttempts {
		content, err := os.ReadFile(path) //nolint:gosec // as above
		if pid, parsed := strconv.Atoi(strings.TrimSpace(string(content))); err == nil && parsed == nil {
			return pid
		}
		<-time.After(pidPause)
	}
	return 0
}
