//go:build !windows

package doctor

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// FreeSpace returns the bytes that an unprivileged program may still write to the file
// system of a folder.
func FreeSpace(dir string) (uint64, error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return 0, err
	}
	blocks := max(0, int64(disk.Bavail)) // FreeBSD counts below zero what only root may still fill
	return uint64(blocks) * uint64(disk.Bsize), nil
}

// ownerBesideRoot returns the owner of a folder if this process is root's and the folder is not.
func ownerBesideRoot(dir string) string {
	info, err := os.Stat(dir)
	if err != nil || os.Geteuid() != 0 {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid == 0 {
		return ""
	}
	id := strconv.Itoa(int(stat.Uid))
	if known, err := user.LookupId(id); err == nil {
		return known.Username
	}
	return "#" + id
}
