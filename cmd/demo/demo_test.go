package demo_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/cmd/demo"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
	"pgregory.net/rapid"
)

var now = time.Date(2026, time.September, 7, 9, 0, 0, 0, time.UTC)

// memory stores the loaded rows in their order.
type memory struct {
	demostore.Batch
	begun *demostore.Campus
	full  bool
	fail  error
}

func (m *memory) Begin(_ context.Context, c demostore.Campus) (demostore.Campus, error) {
	if m.full {
		return c, demostore.ErrNotEmpty
	}
	if m.begun == nil {
		m.begun = &c
	}
	return *m.begun, nil
}

func (m *memory) Finish(context.Context, demo.Progress) error { return nil }

func (m *memory) Load(_ context.Context, n int, b demostore.Batch) error {
	if n != m.begun.Batches+1 {
		return fmt.Errorf("batch %d after %d", n, m.begun.Batches)
	}
	if m.fail != nil {
		return m.fail
	}
	m.begun.Batches = n
	m.Users, m.Books, m.Requests = append(m.Users, b.Users...), append(m.Books, b.Books...), append(m.Requests, b.Requests...)
	m.Matches, m.Orders, m.Notifications = append(m.Matches, b.Matches...), append(m.Orders, b.Orders...), append(m.Notifications, b.Notifications...)
	m.Reports, m.Desks, m.Places = append(m.Reports, b.Reports...), append(m.Desks, b.Desks...), append(m.Places, b.Places...)
	return nil
}

func config(books, users int) demo.Config {
	return demo.Config{Books: books, Users: users, Seed: 7, Now: now, PasswordHash: "$hash", Fee: 500}
}

func silent(string, int, int) {}

func fill(t rapid.TB, c demo.Config) *memory {
	t.Helper()
	m := &memory{}
	totals := must.Get(demo.Fill(context.Background(), m, c, silent))(t)
	if want := (demo.Totals{Users: len(m.Users), Books: len(m.Books), Requests: len(m.Requests), Matches: len(m.Matches), Orders: len(m.Orders)}); totals != want {
		t.Errorf("totals = %+v, loaded %+v", totals, want)
	}
	return m
}

func digest(m *memory) string {
	var b strings.Builder
	for _, u := range m.Users {
		fmt.Fprintln(&b, u.ID, u.Email, u.CreatedAt, *u.Profile)
	}
	fmt.Fprintln(&b, m.Books, m.Requests, m.Matches, m.Orders, m.Notifications)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(b.String())))
}

func TestTheSameSeedGeneratesTheSameCampus(t *testing.T) {
	first, second := fill(t, config(3000, 200)), fill(t, config(3000, 200))
	if digest(first) != digest(second) {
		t.Error("two campuses with one seed differ")
	}
	other := config(3000, 200)
	other.Seed = 8
	if digest(first) == digest(fill(t, other)) {
		t.Error("the seed changes nothing")
	}
}

func TestTheDateChangesNoBookAndNoUser(t *testing.T) {
	later := config(2000, 100)
	later.Now = now.AddDate(0, 2, 3)
	first, second := fill(t, config(2000, 100)), fill(t, later)
	for i, b := range first.Books {
		o := second.Books[i]
		if b.Name != o.Name || b.Price != o.Price || b.ISBN != o.ISBN || b.Course != o.Course || b.Seller != o.Seller || b.Condition != o.Condition {
			t.Fatalf("%+v\n%+v", b, o)
		}
	}
	for i, u := range first.Users {
		if o := second.Users[i]; u.Email != o.Email || *u.Profile != *o.Profile {
			t.Fatalf("%+v\n%+v", u, o)
		}
	}
}

func TestCampusesOfAnySizeAreConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := config(rapid.IntRange(0, 400).Draw(t, "books"), rapid.IntRange(2, 60).Draw(t, "users"))
		c.Seed = rapid.Uint64().Draw(t, "seed")
		m := fill(t, c)
		if len(m.Books) != c.Books || len(m.Users) != c.Users {
			t.Fatalf("%d books, %d users", len(m.Books), len(m.Users))
		}
		checkUsers(t, m)
		checkBooks(t, m)
		checkOrders(t, m)
		checkMatches(t, m)
		checkRequests(t, m)
	})
}

func checkUsers(t rapid.TB, m *memory) {
	seen := map[user.Email]bool{}
	for i, u := range m.Users {
		parsed, err := user.ParseEmail(string(u.Email))
		if err != nil || parsed != u.Email || seen[u.Email] || u.ID != user.ID(i+1) || !u.Verified || u.PasswordHash != "$hash" {
			t.Fatalf("user %+v: %v", u, err)
		}
		seen[u.Email] = true
		if clean, err := u.Profile.Clean(); err != nil || clean != *u.Profile {
			t.Fatalf("profile %+v: %v", *u.Profile, err)
		}
	}
	if m.Users[0].Role != user.Owner || m.Users[1].Role != user.Admin {
		t.Fatalf("there is no owner or admin: %v, %v", m.Users[0].Role, m.Users[1].Role)
	}
}

func checkBooks(t rapid.TB, m *memory) {
	last := time.Time{}
	for i, b := range m.Books {
		d, err := book.Draft{
			Name: b.Name, Course: b.Course, Edition: b.Edition, Price: b.Price, Condition: b.Condition.String(), Date: b.Date, Comments: b.Comments, ISBN: string(b.ISBN), Authors: b.Authors,
		}.Check(money.Currency{}, b.CreatedAt)
		if err != nil || d != b.Details {
			t.Fatalf("book %+v: %v", b, err)
		}
		seller := m.Users[b.Seller-1]
		if b.ID != book.ID(i+1) || b.CreatedAt.Before(last) || b.CreatedAt.After(now) || seller.CreatedAt.After(b.CreatedAt) || b.University != seller.Profile.University {
			t.Fatalf("book %+v of %+v", b, seller)
		}
		last = b.CreatedAt
	}
}

func checkOrders(t rapid.TB, m *memory) {
	live, last := map[book.ID]bool{}, time.Time{}
	for i, s := range m.Orders {
		b := m.Books[s.Book-1]
		var sum order.Balances
		for _, e := range s.Entries {
			if e.Order != s.ID || e.At.After(now) || !sum.Add(e.Account, e.Amount) {
				t.Fatalf("entry %+v of %+v", e, s.Order)
			}
		}
		if sum != s.ExpectedBalances() || s.ID != order.ID(i+1) || s.CreatedAt.Before(last) || s.CreatedAt.Before(b.CreatedAt) || s.CreatedAt.After(now) || s.Buyer == s.Seller {
			t.Fatalf("sale %+v, balances %v", s.Order, sum)
		}
		if s.Live() && (live[s.Book] || b.Status != book.Status(s.Status) || b.Buyer != s.Buyer) || s.Fee != order.FeeRate(500).Of(s.Price) || s.Price != b.Price {
			t.Fatalf("sale %+v of %+v", s.Order, b)
		}
		last = s.CreatedAt
		live[s.Book] = live[s.Book] || s.Live()
	}
	for _, b := range m.Books {
		if b.Status.Sold() != live[b.ID] || (b.Buyer != 0) != live[b.ID] {
			t.Fatalf("book %+v, a live order: %v", b, live[b.ID])
		}
	}
}

// checkMatches compares the matches with a comparison of every book with every request.
func checkMatches(t rapid.TB, m *memory) {
	want := map[[2]int64]book.Reason{}
	for _, b := range m.Books {
		matcher := book.NewMatcher(b)
		for _, r := range m.Requests {
			if reason, ok := matcher.Match(r.Request); ok {
				want[[2]int64{int64(b.ID), int64(r.ID)}] = reason
			}
		}
	}
	owners := map[book.RequestID]user.ID{}
	for _, r := range m.Requests {
		owners[r.ID] = r.Owner
	}
	for i, p := range m.Matches {
		key := [2]int64{int64(p.Book), int64(p.Request)}
		if want[key] != p.Reason || p.ID != int64(i+1) || p.Owner != owners[p.Request] || p.CreatedAt.After(now) {
			t.Fatalf("match %+v, want reason %q", p, want[key])
		}
		delete(want, key)
	}
	if len(want) != 0 {
		t.Fatalf("missing matches: %v", want)
	}
}

func checkRequests(t rapid.TB, m *memory) {
	last := book.RequestID(0)
	for _, r := range m.Requests {
		if r.ID <= last || r.CreatedAt.After(now) || m.Users[r.Owner-1].CreatedAt.After(r.CreatedAt) {
			t.Fatalf("request %+v", r)
		}
		last = r.ID
		if r.Status == book.Open && !slices.Contains(book.Significant(r.Name), r.Word) {
			t.Fatalf("request %+v would not be found by its name", r)
		}
		if (r.Status == book.Filled) != (r.FilledBy != 0) || r.FilledBy != 0 && m.Books[r.FilledBy-1].Buyer != r.Owner {
			t.Fatalf("request %+v", r)
		}
	}
}

func TestALargerCampusHasEveryKindOfRow(t *testing.T) {
	m := fill(t, config(10_000, 500))
	books, orders, titles, schools, langs := map[book.Status]int{}, map[order.Status]int{}, map[string]int{}, map[string]int{}, map[user.Lang]int{}
	for _, b := range m.Books {
		books[b.Status]++
		titles[book.TitleKey(b.Name)]++
	}
	for _, s := range m.Orders {
		orders[s.Status]++
	}
	for _, u := range m.Users {
		schools[u.Profile.University]++
		langs[u.Lang]++
	}
	if len(books) != 5 || len(orders) != 4 || len(schools) < 5 || len(langs) != 2 {
		t.Errorf("books %v, orders %v, schools %v, languages %v", books, orders, schools, langs)
	}
	most := 0
	for _, n := range titles {
		most = max(most, n)
	}
	if most < 20 || len(titles) < 1000 {
		t.Errorf("%d titles, the most popular %d times", len(titles), most)
	}
	matched := map[book.RequestID]bool{}
	for _, p := range m.Matches {
		matched[p.Request] = true
	}
	if part := float64(len(matched)) / float64(len(m.Requests)); part < 0.2 || part > 0.8 {
		t.Errorf("%d of %d requests are matched", len(matched), len(m.Requests))
	}
	if len(m.Notifications) == 0 {
		t.Error("there are no notifications")
	}
	for _, n := range m.Notifications {
		if n.CreatedAt.Before(now.Add(-31*24*time.Hour)) || n.CreatedAt.After(now) || n.Message == "" {
			t.Fatalf("notification %+v", n)
		}
	}
}

func TestPricesFallWithCondition(t *testing.T) {
	sum, count := map[book.Condition]int{}, map[book.Condition]int{}
	for _, b := range fill(t, config(5000, 100)).Books {
		sum[b.Condition] += int(b.Price)
		count[b.Condition]++
	}
	for c := book.New; c < book.Poor; c++ {
		if sum[c]/count[c] <= sum[c+1]/count[c+1] {
			t.Errorf("%s costs %d on average, %s %d", c, sum[c]/count[c], c+1, sum[c+1]/count[c+1])
		}
	}
}

func TestADatabaseWithAccountsIsRefused(t *testing.T) {
	m := &memory{full: true}
	_, err := demo.Fill(t.Context(), m, config(10, 2), silent)
	if !errors.Is(err, demostore.ErrNotEmpty) || len(m.Users) != 0 {
		t.Errorf("err = %v, loaded %d users", err, len(m.Users))
	}
}

func TestSizesOutOfBoundsAreRefused(t *testing.T) {
	for _, c := range []demo.Config{config(-1, 10), config(demo.MaxBooks+1, 10), config(1, 1), config(1, demo.MaxUsers+1), {Books: 1, Users: 2, Fee: -1}} {
		if _, err := demo.Fill(t.Context(), &memory{}, c, silent); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

func TestFillStopsAtAnErrorAndWhenItsContextIsCancelled(t *testing.T) {
	full := errors.New("disk full")
	must.Refuse(t, must.Err(demo.Fill(t.Context(), &memory{fail: full}, config(100, 10), silent)), full, "err =")
	ctx, cancel := context.WithCancel(t.Context())
	m := &memory{}
	_, err := demo.Fill(ctx, m, config(100_000, 10), func(string, int, int) { cancel() })
	if !errors.Is(err, context.Canceled) || len(m.Books) > 10_000 {
		t.Errorf("err = %v after %d books", err, len(m.Books))
	}
}

func TestProgressIncreasesToTheEnd(t *testing.T) {
	reached := map[string]int{}
	_, err := demo.Fill(t.Context(), &memory{}, config(5000, 100), func(what string, done, of int) {
		if done < reached[what] || done > of {
			t.Errorf("%s: %d after %d of %d", what, done, reached[what], of)
		}
		reached[what] = done
	})
	if err != nil || reached["people"] != 100 || reached["books"] != 5000 || reached["requests"] < 900 {
		t.Errorf("reached %v, %v", reached, err)
	}
}

func TestTheCopiesOfABookHaveTheSameAuthors(t *testing.T) {
	m := fill(t, config(1500, 60))
	authors, several := map[book.ISBN]string{}, 0
	for _, b := range m.Books {
		first, rest, _ := strings.Cut(b.Authors, ", ")
		_, surname, full := strings.Cut(first, " ")
		if !full || strings.HasSuffix(b.Name, ")") && !strings.HasSuffix(b.Name, "("+surname+")") {
			t.Errorf("%q is by %q", b.Name, b.Authors)
		}
		if rest != "" {
			several++
		}
		if known := authors[b.ISBN]; b.ISBN != "" && known != "" && known != b.Authors {
			t.Errorf("%s is by %q and by %q", b.ISBN, known, b.Authors)
		}
		authors[b.ISBN] = b.Authors
	}
	if several == 0 || several > len(m.Books)*2/3 {
		t.Errorf("%d of %d books have several authors", several, len(m.Books))
	}
}
