//go:build !linux

package beside

import "os"

// isOurs is asked where root runs commands in the folders of others, on Linux.
func isOurs(os.FileInfo) bool { return true }

// becomeOwner changes the user on Linux alone, where the packages and octavo up make a service.
func becomeOwner(string) error { return nil }
