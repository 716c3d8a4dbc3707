package contract

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
)

// WriteMarks checks the promises of market.WriteMarks. open returns marks for standbys that may be
// maxLag behind.
func WriteMarks(t *testing.T, open func(t *testing.T, maxLag time.Duration) market.WriteMarks) {
	for name, test := range map[string]func(*testing.T){
		"only who is about to write has a mark": func(t *testing.T) {
			m := open(t, time.Hour)
			must.Do(t, m.MarkWriter(t.Context(), 7, 0))
			marked(t, m, 7, true)
			marked(t, m, 8, false)
		},
		"a mark covers the writing and the lag": func(t *testing.T) {
			m := open(t, time.Millisecond)
			must.Do(t, m.MarkWriter(t.Context(), 7, time.Hour))
			marked(t, m, 7, true)
		},
		"a mark ends": func(t *testing.T) {
			m := open(t, 10*time.Millisecond)
			must.Do(t, m.MarkWriter(t.Context(), 7, 10*time.Millisecond))
			poll.Until(func() bool { still, err := m.IsMarked(t.Context(), 7); return err != nil || !still })
			marked(t, m, 7, false)
		},
		"a later write does not shorten a mark": func(t *testing.T) {
			m := open(t, time.Millisecond)
			must.Do(t, m.MarkWriter(t.Context(), 7, time.Hour))
			must.Do(t, m.MarkWriter(t.Context(), 8, time.Millisecond))
			must.Do(t, m.MarkWriter(t.Context(), 7, time.Millisecond))
			poll.Until(func() bool { still, err := m.IsMarked(t.Context(), 8); return err != nil || !still })
			marked(t, m, 7, true)
		},
	} {
		t.Run(name, test)
	}
}

func marked(t *testing.T, m market.WriteMarks, id user.ID, want bool) {
	t.Helper()
	if got, err := m.IsMarked(t.Context(), id); err != nil || got != want {
		t.Errorf("user %d has a mark: %v, want %v (%v)", id, got, want, err)
	}
}
