package web

import (
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

func TestEveryActionOfTheAuditLogHasWordsInFrench(t *testing.T) {
	seen, french := map[string]bool{}, Catalogues[user.FR].texts()
	for _, a := range auditActions {
		if seen[a.code] || AuditWords(a.code) != a.words {
			t.Errorf("%s is listed twice", a.code)
		}
		seen[a.code] = true
		if len(french[a.words]) == 0 {
			t.Errorf("%q has no French words", a.words)
		}
	}
	if got := AuditWords("book.eaten"); got != "book.eaten" {
		t.Errorf("an unknown action is shown as %q", got)
	}
}
