package fault_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

var errGone = fault.New(fault.Conflict, "gone", "The book is gone.")

func TestACopyStillMatchesItsSentinel(t *testing.T) {
	for name, err := range map[string]error{
		"wrapped":   fmt.Errorf("buy: %w", errGone),
		"field":     errGone.WithField("bookId", "was sold"),
		"message":   errGone.WithMsg("Too late."),
		"retry":     errGone.After(time.Second),
		"joined":    errors.Join(errors.New("disk"), errGone),
		"two times": errGone.WithField("a", "1").WithField("b", "2"),
	} {
		if !errors.Is(err, errGone) {
			t.Errorf("%s: does not match its sentinel", name)
		}
		if fault.KindOf(err) != fault.Conflict {
			t.Errorf("%s: kind %v", name, fault.KindOf(err))
		}
	}
}

func TestWithFieldLeavesTheSentinelAlone(t *testing.T) {
	a := errGone.WithField("a", "1")
	b := a.WithField("b", "2")
	if errGone.Fields != nil || len(a.Fields) != 1 || len(b.Fields) != 2 {
		t.Errorf("fields leaked: %v, %v, %v", errGone.Fields, a.Fields, b.Fields)
	}
}

func TestOtherCodesDoNotMatch(t *testing.T) {
	other := fault.New(fault.Conflict, "sold", "The book is sold.")
	if errors.Is(other, errGone) || errors.Is(errGone, errors.New("gone")) {
		t.Error("different errors match")
	}
}

func TestInternalErrorsHaveNoKind(t *testing.T) {
	if err := errors.New("disk on fire"); fault.As(err) != nil || fault.KindOf(err) != 0 {
		t.Error("an internal error has a kind")
	}
	if fault.As(nil) != nil {
		t.Error("nil has a kind")
	}
}
