package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
)

// A replica keeps for a minute what it suggests to everybody, unless another one tells it of a change.
func TestAnotherReplicaCountsANewBookAndOffersItsCourseSoon(t *testing.T) {
	t.Parallel()
	f := e2e.StartFleet(t, 2, nil, "market")
	ada := f.Student("ada@u.rochester.edu", "Ada")
	ada.URL = f.Replicas[0].URL
	there := e2e.Client{URL: f.Replicas[1].URL}
	page := func() string { return string(there.Must(t, 200, "GET", "/", nil).Body) }
	for i := range 3 {
		course := fmt.Sprintf(`<option value="CSC %d">`, 170+i)
		if strings.Contains(page(), course) { // now it is kept
			t.Fatalf("%s is offered before there is a book", course)
		}
		ada.Post(t, "Algorithms", fmt.Sprint("CSC ", 170+i))
		for deadline := time.Now().Add(20 * time.Second); !strings.Contains(page(), course); <-time.After(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s is not offered at the other replica", course)
			}
		}
	}
	if !strings.Contains(page(), ">3 books<") {
		t.Errorf("the other replica does not count 3 books: %s", page())
	}
}
