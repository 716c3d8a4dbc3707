package deep_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/deep"
)

// skipping is a test that notes why it is skipped.
type skipping struct {
	testing.TB
	why string
}

func (s *skipping) Skip(args ...any) { s.why = fmt.Sprint(args...) }

func TestATestOfTheDeepRunRunsOnlyThere(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "1": true} {
		t.Setenv(deep.Variable, value)
		s := &skipping{TB: t}
		deep.Only(s, "builds an image")
		if ran := s.why == ""; ran != want || deep.On() != want || deep.Else(false, true) != want {
			t.Errorf("with %q it ran: %t, %t, %t, want %t", value, ran, deep.On(), deep.Else(false, true), want)
		}
		if !want && (!strings.HasPrefix(s.why, deep.Mark) || !strings.HasSuffix(s.why, "builds an image")) {
			t.Errorf("it says %q", s.why)
		}
	}
}
