//go:build !windows

package doctor

import "syscall"

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
