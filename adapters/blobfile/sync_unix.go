//go:build !windows

package blobfile

import (
	"io/fs"
	"os"
	"syscall"
)

// syncFolder makes the names in a folder survive a power loss.
func syncFolder(f *os.File) error { return f.Sync() }

// diskOf returns which file system a folder is on.
func diskOf(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Dev) //nolint:unconvert // of another type on every system, and only compared
	}
	return 0
}
