//go:build !linux

package database

// startPostgres cannot start one here: a test that needs one names it.
func startPostgres() (string, error) { return "", errNotInstalled }
