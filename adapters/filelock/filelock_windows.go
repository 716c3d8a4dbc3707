package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// farAway is a byte beyond the content: a locked byte cannot be read by others, who
// want to know which process holds the lock.
const farAway = 1 << 30

func lock(f *os.File) (held bool, err error) {
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{Offset: farAway})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return true, nil
	}
	return false, err
}
