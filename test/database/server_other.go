//go:build !linux

package database

import "errors"

func startPostgres() (string, error) {
	return "", errors.New("a Postgres server is started on Linux only: set POSTGRES_TEST_URL=postgres://user:password@host/db")
}
