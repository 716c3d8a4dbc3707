package web

import (
	"testing"

	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/user"
)

func TestEveryActionOfTheAuditLogHasWordsInFrench(t *testing.T) {
	french := Catalogues[user.FR].texts()
	for _, a := range audit.Actions() {
		if len(french[a.Words]) == 0 {
			t.Errorf("%q has no French words", a.Words)
		}
	}
}
