//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// lock takes flock, which belongs to the open file: a child process does not inherit
// it, for Go closes files in children.
func lock(f *os.File) (held bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}
