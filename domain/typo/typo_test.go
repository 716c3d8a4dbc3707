package typo_test

import (
	"testing"

	"github.com/octavo-books/octavo/domain/typo"
)

func TestDistanceCountsSwappedNeighboursOnce(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "ab", 2}, {"ab", "", 2}, {"PORT", "PORT", 0}, {"PROT", "PORT", 1}, {"SMPT_URL", "SMTP_URL", 1}, {"BASEURL", "BASE_URL", 1},
		{"DATABSE_UR", "DATABASE_URL", 2}, {"abc", "cab", 2}, {"ab", "xy", 2},
	} {
		if got := typo.Distance(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := typo.Distance(c.b, c.a); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.b, c.a, got, c.want)
		}
	}
	if got := typo.Nearest("cat", []string{"act", "cat "}); got != "act" {
		t.Errorf("%q", got)
	}
}
