package servers

import (
	"os"

	"golang.org/x/sys/unix"
)

func lockByte(f *os.File, at int) error {
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Start: int64(at), Len: 1})
}
