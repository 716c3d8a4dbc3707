package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/e2e"
)

// The numbers of people. Each pauses after a request, because the machine is the test's only one.
const (
	tradingPeople, racingBuyers = 4, 32
	thinking                    = 50 * time.Millisecond
)

// startLoad lets people trade, race for books, search and sign up, and webhooks arrive.
func startLoad(t *testing.T, f *e2e.Fleet) *load {
	t.Helper()
	l := &load{url: f.URL, journal: newJournal(), delivered: map[string]time.Time{}, stop: make(chan struct{})}
	shared := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	l.traders = newTraders(t, f, l.journal, tradingPeople+1+racingBuyers)
	for _, tr := range l.traders {
		tr.client.HTTP = shared
	}
	t.Cleanup(l.end)
	for _, tr := range l.traders[:tradingPeople] {
		l.repeat(func(int) { tr.act(t) })
	}
	seller, buyers := l.traders[tradingPeople], l.traders[tradingPeople+1:]
	l.repeat(func(int) { l.race(t, seller, buyers) })
	anyone := &trader{client: e2e.Client{URL: f.URL, HTTP: shared}, journal: l.journal}
	l.repeat(func(int) { anyone.do("search", "GET", "/api/books/search/public/race", nil) })
	l.repeat(func(n int) { l.signUp(anyone, n) })
	for i := range 2 {
		l.repeat(func(n int) { l.deliver(t, shared, fmt.Sprintf("delivery-%d-%d", i, n)) })
	}
	return l
}

// repeat calls do again and again, with pauses, until the load ends.
func (l *load) repeat(do func(n int)) {
	l.running.Go(func() {
		for n := 0; ; n++ {
			do(n)
			select {
			case <-l.stop:
				return
			case <-time.After(thinking):
			}
		}
	})
}

// end waits for the last requests. A second call does nothing.
func (l *load) end() {
	select {
	case <-l.stop:
	default:
		close(l.stop)
	}
	l.running.Wait()
}

// race lets all buyers buy a new book at the same time, some from their carts.
func (l *load) race(t *testing.T, seller *trader, buyers []*trader) {
	seller.client.Token = seller.tokens.AccessToken
	seller.n++
	name := fmt.Sprintf("Race %d", seller.n)
	a, ok := seller.do("post", "POST", "/api/books/postBook", e2e.Draft(name, "CSC 101"))
	if !ok || a.Status != http.StatusCreated {
		return
	}
	id := idOf(a)
	l.journal.note(func() { l.journal.posted[id], l.journal.seller[id] = name, seller.email })
	var all sync.WaitGroup
	for i, b := range buyers {
		all.Go(func() {
			if b.client.Token = b.tokens.AccessToken; i%8 == 0 {
				b.do("cart", "POST", "/api/user/addToCart", map[string]any{"bookId": id})
			}
			b.buyBook(t, id)
		})
	}
	all.Wait()
}

func (l *load) signUp(anyone *trader, n int) {
	email := fmt.Sprintf("newcomer%d@mit.edu", n)
	a, ok := anyone.do("sign up", "POST", "/api/auth/signup", map[string]any{
		"email": email, "password": e2e.Password, "firstName": "New", "lastName": "Comer",
		"university": "University of Rochester", "campusMailbox": "270001", "paymentUsername": "pay-new",
	})
	if ok && a.Status == http.StatusCreated {
		l.journal.note(func() { l.signedUp = append(l.signedUp, email) })
	}
}

// deliver sends a delivery until it is acknowledged, as hosts do.
func (l *load) deliver(t *testing.T, client *http.Client, id string) {
	key, err := webhook.Host.Key(webhookSecret)
	if err != nil {
		t.Error(err)
		return
	}
	body := payloadOf(id)
	signed, err := key.SignRequest(webhook.Event{ID: id, Name: "push", Payload: []byte(body)}, time.Now())
	if err != nil {
		t.Error(err)
		return
	}
	for {
		if a, err := l.send(client, signed.Header, body); err == nil && a.Status == http.StatusOK {
			l.journal.note(func() { l.delivered[id] = time.Now() })
			return
		}
		select {
		case <-l.stop:
			return
		case <-time.After(thinking):
		}
	}
}

func (l *load) send(client *http.Client, header http.Header, body string) (a e2e.Answer, err error) {
	began := time.Now()
	defer func() {
		l.journal.sample("webhook", began, a, err)
		if err == nil && a.Header.Get(e2e.Gone) == "" {
			l.journal.checkStatus("webhook", a)
		}
	}()
	req, err := http.NewRequest(http.MethodPost, l.url+"/api/host/webhooks", strings.NewReader(body))
	if err != nil {
		return a, err
	}
	req.Header = header.Clone()
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return a, err
	}
	defer func() { _ = resp.Body.Close() }()
	a.Status, a.Header = resp.StatusCode, resp.Header
	a.Body, err = io.ReadAll(resp.Body)
	return a, err
}

// checkSignUps requires that everybody whose sign-up was acknowledged can confirm the address.
func (l *load) checkSignUps(t *testing.T, f *e2e.Fleet) {
	t.Helper()
	if len(l.signedUp) == 0 {
		t.Error("nobody has signed up")
	}
	for _, email := range l.signedUp {
		link := f.Mail(email, "verification").Link
		if link == nil {
			t.Errorf("the mail to %s has no link", email)
			continue
		}
		e2e.Client{URL: f.URL}.Must(t, http.StatusOK, "POST", strings.TrimPrefix(*link, f.URL), nil)
	}
}

// checkDeliveries requires that each acknowledged delivery is stored once.
func (l *load) checkDeliveries(t *testing.T, f *e2e.Fleet) {
	t.Helper()
	stored := map[string]int{}
	operator := e2e.Client{URL: f.URL, Token: "token of the operator"}
	for cursor, more := "", true; more; {
		var page struct {
			Deliveries []struct{ ID string }
			Cursor     *string
		}
		a := operator.Must(t, http.StatusOK, "GET", "/api/host/deliveries?limit=100&cursor="+url.QueryEscape(cursor), nil)
		if err := json.Unmarshal(a.Body, &page); err != nil {
			t.Fatal(err)
		}
		for _, d := range page.Deliveries {
			stored[d.ID]++
		}
		if more = page.Cursor != nil; more {
			cursor = *page.Cursor
		}
	}
	if len(l.delivered) == 0 {
		t.Error("nothing was delivered")
	}
	for id, at := range l.delivered {
		if stored[id] != 1 {
			t.Errorf("the delivery %s, acknowledged at %s, is stored %d times, want once", id, at.Format(time.TimeOnly), stored[id])
		}
	}
}
