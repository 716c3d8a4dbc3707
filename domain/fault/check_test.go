package fault_test

import (
	"errors"
	"testing"

	"github.com/octavo-books/octavo/domain/fault"
)

func TestACheckNamesEveryWrongFieldAndLeavesItsSentinelAlone(t *testing.T) {
	invalid := fault.New(fault.Invalid, "invalid", "Something is wrong.")
	c := fault.CheckFields(invalid)
	c.Must(true, "name", "Must be there.")
	if c.Failed() || c.Err() != nil {
		t.Fatalf("a right field fails: %v", c.Err())
	}
	c.Must(false, "price", "Must be more than 0.")
	c.Must(false, "date", "Must be a date.")
	var refusal *fault.Error
	if !errors.As(c.Err(), &refusal) || !errors.Is(c.Err(), invalid) || len(refusal.Fields) != 2 || refusal.Fields["price"] != "Must be more than 0." || invalid.Fields != nil {
		t.Errorf("the error is %+v, and the sentinel %+v", refusal, invalid)
	}
}
