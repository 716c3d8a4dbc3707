package pages_test

import (
	"os"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/pages"
)

func TestTheAccessibilityOfEveryPageWasCheckedByTheRulesThatArePinned(t *testing.T) {
	last := must.Get(web.TextOptions{}.Checked())(t)
	now := map[string]bool{}
	for _, r := range pages.Shown(t) {
		now[r.Path] = true
	}
	for _, path := range last.Pages {
		if !now[path] {
			t.Errorf("/accessibility names %s, which is no page", path)
		}
		delete(now, path)
	}
	for path := range now {
		t.Errorf("/accessibility does not name %s", path)
	}
	pinned := string(must.Get(os.ReadFile("../tools/npm/sdks.txt"))(t))
	if last.Violations != 0 || last.States < len(last.Pages) || last.Checks < last.States || !strings.Contains(pinned, "\naxe-core "+last.Rules+" ") {
		t.Errorf("/accessibility says %+v", last)
	}
	if t.Failed() {
		t.Log("run go tool task accessibility")
	}
}
