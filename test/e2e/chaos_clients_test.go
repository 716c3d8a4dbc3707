package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
)

// journal records what the program acknowledged to the clients during the faults.
type journal struct {
	mu         sync.Mutex
	posted     map[string]string // id → name
	seller     map[string]string // id → address
	buyer      map[string]string // id → address of whom the purchase was acknowledged to
	revoked    []tokens
	statuses   map[int]int
	unexpected []string
	samples    []sample
}

type tokens struct{ AccessToken, RefreshToken string }

func newJournal() *journal {
	return &journal{posted: map[string]string{}, seller: map[string]string{}, buyer: map[string]string{}, statuses: map[int]int{}}
}

func (d *journal) note(fn func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fn()
}

// checkStatus counts a response by its status and records one that is an internal error.
func (d *journal) checkStatus(what string, a e2e.Answer) {
	d.note(func() {
		d.statuses[a.Status]++
		if a.Status >= 500 && a.Status != http.StatusServiceUnavailable {
			d.unexpected = append(d.unexpected, fmt.Sprintf("%s: %d %s", what, a.Status, a.Body))
		}
	})
}

// anyPosted returns a posted book, if there is one.
func (d *journal) anyPosted() (id string) {
	d.note(func() {
		for id = range d.posted {
			return
		}
	})
	return id
}

// trader is a student who makes all kinds of requests.
type trader struct {
	client  e2e.Client
	email   string
	tokens  tokens
	n       int
	journal *journal
}

// do sends a request. It returns false if there was no answer: the outcome is then unknown.
func (tr *trader) do(what, method, path string, body any) (e2e.Answer, bool) {
	began := time.Now()
	a, err := tr.client.Do(method, path, body)
	tr.journal.sample(what, began, a, err)
	if err != nil || a.Header.Get(e2e.Gone) != "" {
		return a, false
	}
	tr.journal.checkStatus(what, a)
	return a, true
}

// graph runs an operation of the auth service and returns its data or the error's code.
func (tr *trader) graph(what, query string, variables map[string]any) (data json.RawMessage, code string, answered bool) {
	a, ok := tr.do(what, "POST", "/graphql", map[string]any{"query": query, "variables": variables})
	if !ok {
		return nil, "", false
	}
	var answer struct {
		Data   json.RawMessage
		Errors []struct{ Extensions struct{ Code string } }
	}
	if err := json.Unmarshal(a.Body, &answer); err != nil {
		tr.journal.note(func() {
			tr.journal.unexpected = append(tr.journal.unexpected, fmt.Sprintf("%s: not GraphQL: %s", what, a.Body))
		})
		return nil, "", false
	}
	if len(answer.Errors) > 0 {
		if answer.Errors[0].Extensions.Code == "INTERNAL" {
			tr.journal.note(func() { tr.journal.unexpected = append(tr.journal.unexpected, fmt.Sprintf("%s: %s", what, a.Body)) })
		}
		return nil, answer.Errors[0].Extensions.Code, true
	}
	return answer.Data, "", true
}

func (tr *trader) signIn() (got tokens, ok bool) {
	data, code, answered := tr.graph("sign in", `mutation($email:String!,$password:String!){signIn(email:$email,password:$password){accessToken refreshToken}}`,
		map[string]any{"email": tr.email, "password": e2e.Password})
	var in struct{ SignIn tokens }
	if !answered || code != "" || json.Unmarshal(data, &in) != nil {
		return tokens{}, false
	}
	return in.SignIn, true
}

// act makes one random request.
func (tr *trader) act(t *testing.T) {
	tr.client.Token = tr.tokens.AccessToken
	tr.n++
	switch rand.IntN(10) {
	case 0:
		tr.refresh(t)
	case 1:
		tr.signInAndOut()
	case 2, 3, 4:
		tr.post()
	case 5, 6, 7:
		tr.buy(t)
	default:
		tr.do("look", "GET", "/api/user/getUserData", nil)
	}
}

// refresh must never sign anybody out, even if requests or answers were lost.
func (tr *trader) refresh(t *testing.T) {
	data, code, answered := tr.graph("refresh", `mutation($t:String!){refreshSession(refreshToken:$t){accessToken refreshToken}}`,
		map[string]any{"t": tr.tokens.RefreshToken})
	if code == "SESSION_INVALID" {
		t.Errorf("%s was signed out", tr.email)
	}
	var next struct{ RefreshSession tokens }
	if answered && code == "" && json.Unmarshal(data, &next) == nil {
		tr.tokens = next.RefreshSession
	}
}

// signInAndOut signs in and out.
func (tr *trader) signInAndOut() {
	other, ok := tr.signIn()
	if !ok {
		return
	}
	tr.client.Token = other.AccessToken
	_, code, answered := tr.graph("sign out", `mutation{signOut}`, nil)
	if answered && code == "" {
		tr.journal.note(func() { tr.journal.revoked = append(tr.journal.revoked, other) })
	}
}

func (tr *trader) post() {
	name := fmt.Sprintf("Chaos %s %d", tr.email[:3], tr.n)
	a, ok := tr.do("post", "POST", "/api/books/postBook", e2e.Draft(name, "CSC 101"))
	if ok && a.Status == http.StatusCreated {
		id := idOf(a)
		tr.journal.note(func() { tr.journal.posted[id], tr.journal.seller[id] = name, tr.email })
	}
}

// buy tries to buy a book that others try to buy, too.
func (tr *trader) buy(t *testing.T) {
	if id := tr.journal.anyPosted(); id != "" {
		tr.buyBook(t, id)
	}
}

func (tr *trader) buyBook(t *testing.T, id string) {
	a, ok := tr.do("buy", "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{id}})
	if !ok || a.Status != http.StatusCreated {
		return
	}
	tr.journal.note(func() {
		if before := tr.journal.buyer[id]; before != "" {
			t.Errorf("book %s was sold to %s and to %s", id, before, tr.email)
		}
		tr.journal.buyer[id] = tr.email
	})
}
