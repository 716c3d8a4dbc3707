//go:build !windows

package blobfile

import "os"

// syncFolder makes the names in a folder survive a power loss.
func syncFolder(f *os.File) error { return f.Sync() }
