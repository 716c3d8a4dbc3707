package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"syscall"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
)

// acknowledged is what the program had acknowledged before it was killed.
type acknowledged struct {
	mu             sync.Mutex
	posted, bought []string
}

func (a *acknowledged) add(list *[]string, id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	*list = append(*list, id)
}

func (a *acknowledged) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return min(len(a.posted), len(a.bought))
}

func TestAcknowledgedChangesSurviveACrash(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	seller, buyer := s.Student("seller@mit.edu", "Sam"), s.Student("buyer@mit.edu", "Bea")
	for round := range 3 {
		var done acknowledged
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() { trade(&done, seller, buyer, fmt.Sprintf("Crash %d-%d", round, worker)) })
		}
		poll.Until(func() bool { return done.count() >= 20 })
		s.Kill()
		wg.Wait()
		s.Restart()
		if done.count() < 20 {
			t.Fatalf("only %d books were traded", done.count())
		}
		for _, id := range done.posted {
			seller.Must(t, http.StatusOK, "GET", "/api/books/getBook/"+id, nil)
		}
		bought := map[string]bool{}
		for _, b := range books(t, buyer, "/api/user/getPurchasedBooks?limit=200") {
			bought[b.ID] = b.Status == 1
		}
		for _, id := range done.bought[max(0, len(done.bought)-150):] {
			if !bought[id] {
				t.Errorf("the purchase of %s is lost", id)
			}
		}
	}
	if out, code := s.Octavo("ledger", "check"); code != 0 {
		t.Errorf("the ledger does not balance: %s", out)
	}
}

// trade posts and buys books until the program has ended.
func trade(done *acknowledged, seller, buyer e2e.Client, name string) {
	for n := 0; ; n++ {
		a, err := seller.Do("POST", "/api/books/postBook", e2e.Draft(fmt.Sprintf("%s-%d", name, n), "CSC 101"))
		if err != nil || a.Status != http.StatusCreated {
			return
		}
		id := idOf(a)
		done.add(&done.posted, id)
		a, err = buyer.Do("POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{id}})
		if err != nil || a.Status != http.StatusCreated {
			return
		}
		done.add(&done.bought, id)
	}
}

func TestSIGTERMInterruptsNoRequest(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	s := e2e.Start(t)
	seller := s.Student("seller@mit.edu", "Sam")
	var done acknowledged
	var wg sync.WaitGroup
	failed := make(chan string, 64)
	for worker := range 8 {
		wg.Go(func() {
			// Half of the clients keep their connections.
			seller := seller
			seller.HTTP = &http.Client{Transport: &http.Transport{DisableKeepAlives: worker%2 == 0}}
			for n := 0; ; n++ {
				a, err := seller.Do("POST", "/api/books/postBook", e2e.Draft(fmt.Sprintf("Term %d-%d", worker, n), "CSC 101"))
				if err != nil {
					if n := notAnswered(err); n != "" {
						failed <- n
					}
					return
				}
				if a.Status != http.StatusCreated {
					failed <- fmt.Sprintf("%d: %s", a.Status, a.Body)
					return
				}
				done.add(&done.posted, idOf(a))
				done.add(&done.bought, "")
			}
		})
	}
	poll.For(t, "40 books are traded", func() bool { return done.count() >= 40 })
	if code := s.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	wg.Wait()
	close(failed)
	for f := range failed {
		t.Errorf("a request was cut off: %s", f)
	}
	s.Restart()
	for _, id := range done.posted {
		seller.Must(t, http.StatusOK, "GET", "/api/books/getBook/"+id, nil)
	}
}

// notAnswered distinguishes a request that was cut off from a connection that was never
// accepted, which is normal after the listener was closed.
func notAnswered(err error) string {
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) {
		return ""
	}
	return err.Error()
}

func idOf(a e2e.Answer) string {
	var envelope struct{ Data struct{ ID string } }
	if err := json.Unmarshal(a.Body, &envelope); err != nil {
		return ""
	}
	return envelope.Data.ID
}
