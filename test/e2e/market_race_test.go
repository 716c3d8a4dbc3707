package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/octavo-books/octavo/test/e2e"
)

// In the race, 50 buyers check out 1,000 overlapping carts, while the seller unlists and
// relists books and admins confirm and cancel sales.
const (
	raceBuyers    = 50
	raceBooks     = 200
	raceCheckouts = 1000
	raceCart      = 6 // books in a cart, at most
)

// move is one action on one book; a checkout of several books is one move for each.
type move struct {
	book int
	what string // "buy", "delete", "reactivate", "confirm", "cancel", "read"
	by   int    // the number of the buyer; admins and the seller have negative ones
}

// bookState is the state of a book in the model.
type bookState struct{ status, buyer int }

// outcome is the result of a move. A read returns the status.
type outcome struct {
	done   bool
	status int
}

// allowed has the statuses that allow each move, and the status that it leads to.
var allowed = map[string]struct {
	from []int
	to   int
}{
	"buy": {[]int{0}, 1}, "delete": {[]int{0}, 5}, "reactivate": {[]int{5}, 0}, "confirm": {[]int{1}, 2}, "cancel": {[]int{1, 2}, 0},
}

// oneBook is the status machine of the contract. A history is linearizable if its moves could
// have happened one after another.
var oneBook = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		parts := make([][]porcupine.Operation, raceBooks)
		for _, op := range history {
			book := op.Input.(move).book
			parts[book] = append(parts[book], op)
		}
		return parts
	},
	Init: func() any { return bookState{} },
	Step: func(state, input, output any) (bool, any) {
		now, m, out := state.(bookState), input.(move), output.(outcome)
		if m.what == "read" {
			return now.status == out.status, now
		}
		rule := allowed[m.what]
		if can := slices.Contains(rule.from, now.status); can != out.done {
			return false, now
		} else if !can {
			return true, now
		}
		return true, bookState{status: rule.to, buyer: m.by}
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v → %+v", input, output) },
}

// race is one run.
type race struct {
	t      *testing.T
	seller e2e.Client
	admin  e2e.Client
	buyers []e2e.Client
	ids    []string
	start  time.Time

	mu      sync.Mutex
	history []porcupine.Operation
}

func TestTheMarketIsLinearizable(t *testing.T) {
	t.Parallel()
	stores := everyStore(t)
	delete(stores, "Redis") // the market stores nothing in Redis
	for name, env := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := e2e.StartWith(t, append(env(t), "BCRYPT_COST=4", "LIMIT_OPEN_PURCHASES=10000"), "market")
			r := prepare(t, s)
			r.run()
			r.check()
			if out, code := s.Octavo("ledger", "check"); code != 0 {
				t.Errorf("ledger check: %s", out)
			}
		})
	}
}

func prepare(t *testing.T, s *e2e.Server) *race {
	t.Helper()
	r := &race{t: t, seller: s.Student("seller@mit.edu", "Sam"), admin: s.Student("admin@mit.edu", "Ada")}
	s.Promote("admin@mit.edu", "admin")
	for i := range raceBuyers {
		r.buyers = append(r.buyers, s.Student(fmt.Sprintf("buyer%d@mit.edu", i), "Buyer"))
	}
	for i := range raceBooks {
		r.ids = append(r.ids, r.seller.Post(t, fmt.Sprintf("Volume %d", i), "CSC 172"))
	}
	r.start = time.Now()
	return r
}

func (r *race) run() {
	var buyers, others sync.WaitGroup
	closing := make(chan struct{})
	for who := range r.buyers {
		random := rand.New(rand.NewPCG(1, uint64(who)))
		buyers.Go(func() {
			for range raceCheckouts / raceBuyers {
				r.checkout(who, random)
			}
		})
	}
	for i, what := range []string{"delete", "delete", "reactivate", "reactivate", "confirm", "cancel", "cancel", "cancel", "read"} {
		random := rand.New(rand.NewPCG(2, uint64(i)))
		others.Go(func() {
			for {
				select {
				case <-closing:
					return
				default:
					r.act(move{book: random.IntN(raceBooks), what: what, by: -1 - i})
				}
			}
		})
	}
	buyers.Wait()
	close(closing)
	others.Wait()
}

// checkout buys some books and records the outcome of each.
func (r *race) checkout(who int, random *rand.Rand) {
	cart := random.Perm(raceBooks)[:1+random.IntN(raceCart)]
	ids := make([]string, len(cart))
	for i, book := range cart {
		ids[i] = r.ids[book]
	}
	call := time.Since(r.start)
	a, err := r.buyers[who].Do("POST", "/api/books/checkoutCart", map[string]any{"bookIds": ids, "allowPartial": random.IntN(2) == 0})
	back := time.Since(r.start)
	var answer struct {
		Data struct {
			Orders      []struct{ BookID string }
			Unavailable []string
		}
	}
	if err != nil || a.Status != 201 && a.Status != 409 || json.Unmarshal(a.Body, &answer) != nil {
		r.t.Errorf("checkout: %d %s %v", a.Status, a.Body, err)
		return
	}
	for i, book := range cart {
		bought := slices.ContainsFunc(answer.Data.Orders, func(o struct{ BookID string }) bool { return o.BookID == ids[i] })
		if bought || slices.Contains(answer.Data.Unavailable, ids[i]) { // otherwise nothing was bought because of another book
			r.note(move{book, "buy", who}, outcome{done: bought}, call, back)
		}
	}
}

// act makes a random other move.
func (r *race) act(m move) {
	c, method, path := r.admin, "POST", "/api/dashboard/confirmBook"
	body := map[string]any{"bookId": r.ids[m.book]}
	switch m.what {
	case "delete":
		c, path = r.seller, "/api/books/deleteBook"
	case "reactivate":
		c, path = r.seller, "/api/books/reactivateBook"
	case "cancel":
		path, body["reason"] = "/api/dashboard/cancelTransaction", "A race."
	case "read":
		method, path, body = "GET", "/api/books/getBook/"+r.ids[m.book], nil
	}
	var content any
	if body != nil {
		content = body
	}
	call := time.Since(r.start)
	a, err := c.Do(method, path, content)
	back := time.Since(r.start)
	if err != nil || a.Status != 200 && a.Status != 409 {
		r.t.Errorf("%s: %d %s %v", m.what, a.Status, a.Body, err)
		return
	}
	out := outcome{done: a.Status == 200}
	if m.what == "read" {
		var b struct{ Status int }
		a.Data(r.t, &b)
		out.status = b.Status
	}
	r.note(m, out, call, back)
}

func (r *race) note(m move, out outcome, call, back time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history = append(r.history, porcupine.Operation{ClientId: m.by + 10, Input: m, Call: int64(call), Output: out, Return: int64(back)})
}

func (r *race) check() {
	r.t.Helper()
	count := map[string]int{}
	for _, op := range r.history {
		if m := op.Input.(move); op.Output.(outcome).done {
			count[m.what]++
		}
	}
	r.t.Logf("%d moves in %s; done: %v", len(r.history), time.Since(r.start).Round(time.Millisecond), count)
	for _, what := range []string{"buy", "cancel", "confirm", "delete"} { // a relisting does not happen in every run
		if count[what] == 0 {
			r.t.Errorf("no %s succeeded in the race", what)
		}
	}
	if result, info := porcupine.CheckOperationsVerbose(oneBook, r.history, time.Minute); result != porcupine.Ok {
		path := r.t.TempDir() + "/history.html"
		_ = porcupine.VisualizePath(oneBook, info, path)
		r.t.Errorf("the history is %s; see %s", result, path)
	}
	owners := map[string]int{}
	for who, c := range r.buyers {
		for _, b := range books(r.t, c, "/api/user/getPurchasedBooks?limit=200") {
			if other, twice := owners[b.ID]; twice {
				r.t.Errorf("book %s belongs to buyers %d and %d", b.ID, other, who)
			}
			owners[b.ID] = who
		}
	}
}

func TestTheModelRejectsABookSoldTwice(t *testing.T) {
	t.Parallel()
	at := func(i int64, m move, out outcome) porcupine.Operation {
		return porcupine.Operation{ClientId: int(i), Input: m, Call: 10 * i, Output: out, Return: 10*i + 5}
	}
	done := outcome{done: true}
	valid := []porcupine.Operation{at(0, move{0, "buy", 1}, done), at(1, move{0, "buy", 2}, outcome{}), at(2, move{0, "cancel", -1}, done), at(3, move{0, "buy", 2}, done)}
	if !porcupine.CheckOperations(oneBook, valid) {
		t.Error("a valid history is rejected")
	}
	for name, invalid := range map[string][]porcupine.Operation{
		"sold twice":            {valid[0], at(1, move{0, "buy", 2}, done)},
		"refused without cause": {at(0, move{0, "buy", 1}, outcome{})},
		"a stale read":          {valid[0], at(1, move{0, "read", -1}, outcome{status: 0})},
	} {
		if porcupine.CheckOperations(oneBook, invalid) {
			t.Errorf("%s: an invalid history is accepted", name)
		}
	}
}
