//go:build !linux

package database

import "github.com/octavo-books/octavo/test/servers"

// startPostgres starts no server here: set POSTGRES_TEST_URL to run the tests that need one.
func startPostgres() (string, error) { return "", servers.ErrNoPostgres }
