package pgsignals_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/pgsignals"
	"github.com/octavo-books/octavo/test/database"
)

func TestNotificationsArriveWithoutAPooler(t *testing.T) {
	t.Parallel()
	if heard, err := pgsignals.Arrive(t.Context(), database.PostgresURL(t)); !heard || err != nil {
		t.Errorf("%v, %v", heard, err)
	}
	if _, err := pgsignals.Arrive(t.Context(), "postgres://octavo:secret@[::1/octavo"); err == nil {
		t.Error("a malformed URL is accepted")
	}
}
