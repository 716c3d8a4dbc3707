package id_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/id"
	"pgregory.net/rapid"
)

func TestEveryIDSurvivesTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Min(1).Draw(t, "id")
		if got, ok := id.Parse(id.Format(n)); !ok || got != n {
			t.Fatalf("Parse(Format(%d)) = %d, %v", n, got, ok)
		}
	})
}

func TestOnlyTheCanonicalFormIsParsed(t *testing.T) {
	for _, s := range []string{"", "0", "-1", "+1", "01", " 1", "1 ", "1.0", "1e3", "0x1", "9223372036854775808", "١", "a"} {
		if n, ok := id.Parse(s); ok {
			t.Errorf("Parse(%q) = %d", s, n)
		}
	}
}

func TestTheFirstIDOfATimeHasThatTime(t *testing.T) {
	for _, at := range []time.Time{time.UnixMilli(id.Epoch).UTC(), time.Date(2026, time.October, 1, 0, 0, 0, 0, time.UTC), time.Date(2093, time.January, 1, 0, 0, 0, 0, time.UTC)} {
		first := id.First(at)
		if got := id.Time(first); !got.Equal(at) {
			t.Errorf("the first id of %s is of %s", at, got)
		}
		if first > 0 && !id.Time(first-1).Equal(at.Add(-time.Millisecond)) {
			t.Errorf("the id before the first of %s is of %s", at, id.Time(first-1))
		}
	}
	if n := id.First(time.Unix(0, 0)); n != 0 {
		t.Errorf("the first id of a time before all ids is %d", n)
	}
}
