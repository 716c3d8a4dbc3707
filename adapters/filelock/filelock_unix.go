//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// lock uses flock, which belongs to the open file. Child processes do not inherit it
// because Go opens files with O_CLOEXEC.
func lock(f *os.File) (held bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}
