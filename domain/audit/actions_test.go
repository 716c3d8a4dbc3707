package audit_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/audit"
)

func TestAnActionIsNamedOnceAndAnUnknownOneByItsCode(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range audit.Actions() {
		if seen[a.Code] || audit.Words(a.Code) != a.Words {
			t.Errorf("%s is listed twice", a.Code)
		}
		seen[a.Code] = true
	}
	if got := audit.Words("book.eaten"); got != "book.eaten" {
		t.Errorf("an unknown action is shown as %q", got)
	}
}
