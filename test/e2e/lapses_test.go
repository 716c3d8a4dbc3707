package e2e_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

func TestAnOrderThatNobodyHandsOverLapsesAfterAReminder(t *testing.T) {
	t.Parallel()
	s := e2e.StartWith(t, []string{"ORDER_LAPSES=2s"})
	ada, ben := s.Student("ada@campus.edu", "Ada"), s.Student("ben@campus.edu", "Ben")
	id := ada.Post(t, "Topology", "MTH 440")
	ben.Must(t, http.StatusCreated, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{id}})
	for _, to := range []string{"ada@campus.edu", "ben@campus.edu"} {
		s.Mail(to, "order_reminder")
		s.Mail(to, "order_cancelled")
	}
	var orders []struct {
		Status      int
		CancelledBy json.RawMessage
		LapsesAt    *string
	}
	ben.Must(t, http.StatusOK, "GET", "/api/user/getOrders", nil).Data(t, &orders)
	if len(orders) != 1 || orders[0].Status != -1 || string(orders[0].CancelledBy) != `"system"` || orders[0].LapsesAt != nil {
		t.Errorf("the orders are %+v, want one that the system has cancelled", orders)
	}
	e2e.Client{URL: s.URL}.Must(t, http.StatusOK, "GET", "/api/books/getBook/"+id, nil) // it is for sale again
	if out, code := s.Octavo("ledger", "check"); code != 0 {
		t.Errorf("the ledger does not balance: %s", out)
	}
}
