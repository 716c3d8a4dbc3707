package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// farAway is an offset beyond the content. Other processes cannot read a locked byte,
// and they need to read the PID.
const farAway = 1 << 30

func lock(f *os.File) (held bool, err error) {
	err = windows.LockFileEx(
		windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
		&windows.Overlapped{Offset: farAway},
	)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return true, nil
	}
	return false, err
}
