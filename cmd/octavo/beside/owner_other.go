//go:build !linux

package beside

// becomeOwner changes the user on Linux alone, where the packages and octavo up make a service.
func becomeOwner(string) error { return nil }
