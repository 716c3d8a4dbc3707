package contract

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketDiscovery(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"copies with one ISBN are one title on a list":               titlesGrouped,
		"a list in any order has each title once":                    titlesOnce,
		"a search groups copies and counts every book":               searchGrouped,
		"the pages of a search have every title":                     searchWalked,
		"the number of results is exact up to a bound":               counted,
		"of a title with very many copies the newest are summarised": summaryBounded,
		"a title shows its copies from the cheapest":                 titleShown,
		"other copies of a title exclude the book itself":            othersListed,
		"universities and courses are suggested as they are written": suggested,
		"everybody sees since when a seller trades and how often":    sellerShown,
		"what most people look for is counted by ISBN":               wantedISBNs,
		"the shelves of a student have each book once":               shelvesFilled,
	})
}

func copyOf(name, course, isbn string, price money.Amount, condition string) book.Draft {
	d := Draft(name, course, price)
	d.ISBN, d.Condition = isbn, condition
	return d
}

const isbnOne, isbnTwo = "9780262033848", "9780201896831"

// describe writes titles as name, price of the first copy, number of copies and lowest price.
func describe(titles []finding.TitleView) (all []string) {
	for _, v := range titles {
		all = append(all, fmt.Sprintf("%s %d: %d from %d", v.Name, v.Price, v.All.Copies.N, v.All.Lowest))
	}
	return all
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %q\nwant %q", what, got, want)
	}
}

func titlesGrouped(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.JoinAt(t, "bob", "MIT", user.Regular)
	b.Post(t, ann, copyOf("Algorithms", "CSC 172", isbnOne, 3000, "good"))
	b.Post(t, bob, copyOf("Algorithms", "CSC 172", isbnOne, 2000, "fair"))
	b.Post(t, ann, Draft("Notes", "CSC 172", 500))
	b.Post(t, ann, Draft("Notes", "CSC 172", 600)) // without an ISBN, books with one title may differ
	b.Post(t, ann, copyOf("Algorithms", "CSC 172", isbnOne, 4000, "new"))
	sold := b.Post(t, ann, copyOf("Algorithms", "CSC 172", isbnOne, 1000, "new"))
	b.Buy(t, bob, sold.ID)
	for _, c := range []struct {
		filter finding.Filter
		want   []string
	}{
		{finding.Filter{}, []string{"Algorithms 4000: 3 from 2000", "Notes 600: 1 from 600", "Notes 500: 1 from 500"}},
		{finding.Filter{Sort: finding.PriceAsc}, []string{"Notes 500: 1 from 500", "Notes 600: 1 from 600", "Algorithms 2000: 3 from 2000"}},
		{finding.Filter{University: "mit"}, []string{"Algorithms 2000: 1 from 2000"}},
		{finding.Filter{Condition: "new", Course: "csc172"}, []string{"Algorithms 4000: 1 from 4000"}},
		{finding.Filter{University: "nowhere"}, nil},
	} {
		page := must.Get(b.Discovery.Browse(t.Context(), user.Caller{}, "", c.filter, market.Page{}))(t)
		same(t, fmt.Sprint(c.filter), describe(page.Titles), c.want)
	}
}

func titlesOnce(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	want := 0
	for i := range 40 {
		d := Draft(fmt.Sprint("Book ", i%7), "X 1", money.Amount(100+i*37%11*100))
		if i%7 < 5 {
			d.ISBN = []string{isbnOne, isbnTwo, "9781285741550", "9783319110790", "9780980232776"}[i%7]
		} else {
			want++
		}
		b.Post(t, ann, d)
	}
	want += 5
	for _, sort := range []finding.Sort{finding.DefaultOrder, finding.Newest, finding.PriceAsc, finding.PriceDesc} {
		seen := map[string]bool{}
		for _, page := range walk(t, 3, func(p market.Page) ([]finding.TitleView, market.Cursor, error) {
			page, err := b.Discovery.Browse(t.Context(), user.Caller{}, "", finding.Filter{Sort: sort}, p)
			return page.Titles, page.Next, err
		}) {
			for _, v := range page {
				key := string(v.ISBN)
				if key == "" {
					key = v.ID.String()
				}
				if seen[key] {
					t.Errorf("sorted by %q, %s is listed twice", sort, v.Name)
				}
				seen[key] = true
			}
		}
		if len(seen) != want {
			t.Errorf("sorted by %q, %d of %d titles are listed", sort, len(seen), want)
		}
	}
}

func searchGrouped(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for i := range 3 {
		b.Post(t, ann, copyOf("Algorithms", "CSC 172", isbnOne, money.Amount(1000+i*100), "good"))
		b.Post(t, ann, copyOf("Algorithms in C", "CSC 173", isbnTwo, 900, "good"))
	}
	for text, want := range map[string][]string{
		"algorithms": {"Algorithms 1000: 3 from 1000", "Algorithms in C 900: 3 from 900"},
		"csc 172":    {"Algorithms 1200: 3 from 1000"},
		isbnTwo:      {"Algorithms in C 900: 3 from 900"},
		"xyzzyplugh": nil,
		"!":          nil,
	} {
		page := must.Get(b.Discovery.Browse(t.Context(), user.Caller{}, text, finding.Filter{}, market.Page{}))(t)
		same(t, text, describe(page.Titles), want)
		if page.Count != (market.Count{N: 3 * len(want)}) {
			t.Errorf("%s: counted %+v", text, page.Count)
		}
	}
	refused(t, must.Err(b.Discovery.Browse(t.Context(), user.Caller{}, "algorithms", finding.Filter{Sort: "best"}, market.Page{})), finding.ErrFilter)
}

func searchWalked(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for i := range 30 {
		d := Draft(fmt.Sprint("Calculus ", i), "MTH 161", money.Amount(1000+i%3))
		if i%4 == 0 {
			d = copyOf("Calculus", "MTH 162", isbnOne, 500, "good")
		}
		b.Post(t, ann, d)
	}
	for _, text := range []string{"calculus", "mth 161", "mth 162", isbnOne} {
		for _, sort := range []finding.Sort{finding.DefaultOrder, finding.PriceAsc, finding.Newest} {
			all := must.Get(b.Discovery.Browse(t.Context(), user.Caller{}, text, finding.Filter{Sort: sort}, market.Page{Limit: 100}))(t)
			want, got := map[string]bool{}, map[string]bool{}
			for _, v := range all.Titles {
				want[v.Name] = true
			}
			for _, page := range walk(t, 3, func(p market.Page) ([]finding.TitleView, market.Cursor, error) {
				page, err := b.Discovery.Browse(t.Context(), user.Caller{}, text, finding.Filter{Sort: sort}, p)
				return page.Titles, page.Next, err
			}) {
				if len(page) > 3 {
					t.Errorf("%s by %q: a page has %d titles", text, sort, len(page))
				}
				for _, v := range page {
					got[v.Name] = true
				}
			}
			if len(want) == 0 || !maps.Equal(got, want) {
				t.Errorf("%s by %q: got %v, want %v", text, sort, got, want)
			}
		}
	}
}

func counted(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for i := range 130 {
		d := Draft("Problems in Calculus", "MTH 161", money.Amount(1000+i))
		if i%2 == 0 {
			d.Course = "BIO 110"
		}
		b.Post(t, ann, d)
	}
	price := money.Amount(1009)
	for _, c := range []struct {
		text   string
		filter finding.Filter
		want   market.Count
	}{
		{"", finding.Filter{}, market.Count{N: 130}},
		{"", finding.Filter{MaxPrice: &price}, market.Count{N: 10}},
		{"", finding.Filter{MaxPrice: &price, Course: "bio110"}, market.Count{N: 5}},
		{"bio 110", finding.Filter{}, market.Count{N: 65}},
		{"problems", finding.Filter{MaxPrice: &price}, market.Count{N: 10}},
		{"problems", finding.Filter{}, market.Count{N: 100, More: true}},
		{"problems", finding.Filter{Sort: finding.PriceAsc}, market.Count{N: 100, More: true}},
	} {
		for _, limit := range []int{1, 24} {
			page := must.Get(b.Discovery.Browse(t.Context(), user.Caller{}, c.text, c.filter, market.Page{Limit: limit}))(t)
			if page.Count != c.want {
				t.Errorf("%q, %+v, limit %d: counted %+v, want %+v", c.text, c.filter, limit, page.Count, c.want)
			}
		}
	}
	for bound, want := range map[int]int{1: 1, 129: 129, 130: 130, 131: 130} {
		n := must.Get(b.Ports.CountBooksForSale(t.Context(), finding.Criteria{}, bound))(t)
		if n != want {
			t.Errorf("counted %d up to %d, want %d", n, bound, want)
		}
	}
}

func summaryBounded(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.JoinAt(t, "bob", "MIT", user.Regular)
	b.Post(t, ann, copyOf("Algorithms", "CSC 172", isbnOne, 100, "good"))
	for i := range 3 {
		b.Post(t, bob, copyOf("Algorithms", "CSC 172", isbnOne, money.Amount(1000+i), "good"))
	}
	b.Post(t, ann, copyOf("Algorithms", "CSC 172", isbnOne, 900, "good"))
	b.Post(t, ann, Draft("Notes", "CSC 172", 100))
	for _, c := range []struct {
		criteria finding.Criteria
		max      int
		want     finding.TitleSummary
	}{
		{finding.Criteria{}, 5, finding.TitleSummary{Copies: market.Count{N: 5}, Lowest: 100}},
		{finding.Criteria{}, 4, finding.TitleSummary{Copies: market.Count{N: 4, More: true}, Lowest: 900}},
		{finding.Criteria{University: "universityofrochester"}, 4, finding.TitleSummary{Copies: market.Count{N: 1, More: true}, Lowest: 900}},
	} {
		c.want.ISBN = isbnOne
		got := must.Get(b.Ports.SummariseTitles(t.Context(), []book.ISBN{isbnTwo, isbnOne, "9781285741550"}, c.criteria, finding.DefaultOrder, market.Position{}, c.max))(t)
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%+v, %d: got %+v, want %+v", c.criteria, c.max, got, c.want)
		}
	}
}

func titleShown(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.JoinAt(t, "bob", "MIT", user.Regular)
	b.Post(t, ann, copyOf("Algorithms", "CSC 172", isbnOne, 3000, "good"))
	b.Post(t, bob, copyOf("Algorithms", "CSC 172", isbnOne, 2000, "fair"))
	last := b.Post(t, ann, copyOf("Algorithms", "CSC 172", isbnOne, 4000, "good"))
	page := must.Get(b.Discovery.Title(t.Context(), user.Caller{}, "0-262-03384-4", finding.Filter{}, market.Page{Limit: 2}))(t)
	if len(page.Titles) != 2 || page.Titles[0].Price != 2000 || page.Titles[1].Price != 3000 || page.Next == "" || page.Count.N != 3 || page.ISBN != isbnOne || page.Like.ID != last.ID {
		t.Errorf("shows %+v", page)
	}
	if g := page.Grades; len(g) != 2 || g[0].Condition != book.Good || g[0].Copies.N != 2 || g[0].Lowest != 3000 || g[1].Condition != book.Fair {
		t.Errorf("conditions %+v", g)
	}
	page = must.Get(b.Discovery.Title(t.Context(), user.Caller{}, isbnOne, finding.Filter{University: "Elsewhere"}, market.Page{}))(t)
	if len(page.Titles) != 0 || page.Like == nil || len(page.Grades) != 0 {
		t.Errorf("elsewhere: %+v", page)
	}
	page = must.Get(b.Discovery.Title(t.Context(), user.Caller{}, isbnTwo, finding.Filter{}, market.Page{}))(t)
	if len(page.Titles) != 0 || page.Like != nil {
		t.Errorf("no copy: %+v", page)
	}
	refused(t, must.Err(b.Discovery.Title(t.Context(), user.Caller{}, "17", finding.Filter{}, market.Page{})), finding.ErrNoSuchTitle)
}

func othersListed(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	first := b.Post(t, ann, copyOf("Algorithms", "CSC 172", isbnOne, 3000, "good"))
	cheaper := b.Post(t, ann, copyOf("Algorithms!", "CSC 173", isbnOne, 2000, "fair"))
	without := b.Post(t, ann, Draft("ALGORITHMS", "X 1", 100))
	for _, c := range []struct {
		of   book.Book
		want []book.ID
	}{{first.Book, []book.ID{cheaper.ID}}, {cheaper.Book, []book.ID{first.ID}}, {without.Book, []book.ID{cheaper.ID, first.ID}}} {
		got := must.Get(b.Discovery.ListOthers(t.Context(), user.Caller{}, c.of))(t)
		if !slices.Equal(bookIDs(got), c.want) {
			t.Errorf("other copies of %d: %v, want %v", c.of.ID, bookIDs(got), c.want)
		}
	}
}

func suggested(t *testing.T, b *MarketFixture) {
	ann, bob := b.JoinAt(t, "ann", "université de montréal", user.Regular), b.JoinAt(t, "bob", "MIT", user.Regular)
	eve := b.JoinAt(t, "eve", "Université de Montréal", user.Regular)
	b.Post(t, ann, Draft("Calculus", "mth 161", 1000))
	b.Post(t, bob, Draft("Calculus", "MTH 161", 1000))
	b.Post(t, eve, Draft("Cells", "BIO 110", 1000))
	gone := b.Post(t, b.JoinAt(t, "dan", "Atlantis", user.Regular), Draft("Sea", "SEA 1", 1000))
	b.Buy(t, bob, gone.ID)
	for university, want := range map[string][]string{"": {"BIO 110", "MTH 161"}, "MIT": {"MTH 161"}, "Atlantis": nil} {
		s := must.Get(b.Discovery.Suggest(t.Context(), user.Caller{}, finding.Filter{University: university}))(t)
		same(t, "courses at "+university, s.Courses, want)
		same(t, "universities", s.Universities, []string{"MIT", "Université de Montréal"})
	}
	newest := must.Get(b.Ports.ListNewCourses(t.Context(), "", 1))(t)
	same(t, "the newest course", newest, []string{"BIO 110"})
	first := must.Get(b.Ports.ListUniversities(t.Context(), 1))(t)
	same(t, "the first university", first, []string{"MIT"})
}

func sellerShown(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	dean := b.Join(t, "dean", user.Admin)
	joined := b.Clock.Now()
	for range 3 {
		v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
		b.Buy(t, bob, v.ID)
		must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
		must.Get(b.Orders.SetPaid(t.Context(), dean, v.ID))(t)
	}
	b.Buy(t, bob, b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)).ID) // not delivered yet
	got := must.Get(b.Discovery.FindSeller(t.Context(), ann.ID))(t)
	want := market.Seller{FirstName: "ann", University: "University of Rochester", MemberSince: joined.Truncate(time.Microsecond).UTC(), Sales: market.Count{N: 3}}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	some, err := b.Ports.FindSeller(t.Context(), ann.ID, 2)
	if err != nil || some.Sales != (market.Count{N: 2, More: true}) {
		t.Errorf("got %+v, %v", some, err)
	}
	university, err := b.Discovery.OwnUniversity(t.Context(), bob)
	if err != nil || university != "University of Rochester" {
		t.Errorf("got %q, %v; want \"University of Rochester\"", university, err)
	}
	if university, err = b.Discovery.OwnUniversity(t.Context(), user.Caller{}); err != nil || university != "" {
		t.Errorf("of nobody: %q, %v", university, err)
	}
	b.DeleteUser(t, bob)
	must.Refuse(t, must.Err(b.Discovery.FindSeller(t.Context(), bob.ID)), user.ErrNotFound, "of a deleted account")
}

func wantedISBNs(t *testing.T, b *MarketFixture) {
	const calculus, algebra = book.ISBN("9780306406157"), book.ISBN("9780262033848")
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	wanted := func(what string, got, want []finding.WantedISBN) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	request := func(by user.Caller, isbn book.ISBN) book.RequestID {
		t.Helper()
		r, _ := must.Get2(b.Requests.Add(t.Context(), by, book.RequestDraft{Name: "Calculus", Course: "MTH 161", ISBN: string(isbn)}))(t)
		return r.ID
	}
	request(ann, "")
	request(ann, calculus)
	request(bob, calculus)
	request(eve, algebra)
	gone := request(eve, calculus)
	want := []finding.WantedISBN{{ISBN: calculus, People: 3, One: min(ann.ID, bob.ID, eve.ID)}, {ISBN: algebra, People: 1, One: eve.ID}}
	wanted("what people look for", must.Get(b.Ports.ListWantedISBNs(t.Context(), 10, 5))(t), want)
	wanted("the most wanted", must.Get(b.Ports.ListWantedISBNs(t.Context(), 10, 1))(t), want[:1])
	must.Do(t, b.Requests.Delete(t.Context(), eve, gone))
	want[0] = finding.WantedISBN{ISBN: calculus, People: 2, One: min(ann.ID, bob.ID)}
	wanted("without a request that was withdrawn", must.Get(b.Ports.ListWantedISBNs(t.Context(), 10, 5))(t), want)
	wanted("among the newest two", must.Get(b.Ports.ListWantedISBNs(t.Context(), 2, 5))(t), []finding.WantedISBN{{ISBN: algebra, People: 1, One: eve.ID}, {ISBN: calculus, People: 1, One: bob.ID}})
}

// shelvesFilled is about the front page of a student.
func shelvesFilled(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	away := b.JoinAt(t, "zoe", "Yale", user.Regular)
	b.upload(t, fall, "MTH 4,,,,")
	b.choose(t, bob, b.courses(t, bob, finding.Term{}, "")...)
	b.upload(t, course.List{University: fall.University, Term: "2027-spring"}, "MTH 161,,,,")
	post := func(by user.Caller, name, of string, price money.Amount) book.ID {
		return b.Post(t, by, Draft(name, of, price)).ID
	}
	old := post(ann, "Analysis", "MTH 161", 3000)
	b.Buy(t, bob, post(ann, "Topology", "MTH 2", 3000))
	cheaper, seen, near := post(ann, "Calculus", "mth161", 2000), post(ann, "Geometry", "MTH 3", 2600), post(ann, "Algebra", "MTH 4", 3900)
	sold, far := post(ann, "Logic", "MTH 5", 3000), post(ann, "Groups", "MTH 7", 4100)
	post(bob, "Sets", "MTH 161", 3000)
	there := post(away, "Rings", "MTH 8", 900)
	campus := must.Get(b.Discovery.CampusShelves(t.Context(), fall.University))(t)
	campus.Picked = []book.ID{far, sold}
	b.Buy(t, away, sold)
	shelves := func(what string, want ...[]book.ID) {
		t.Helper()
		h := must.Get(b.Discovery.Home(t.Context(), bob, campus, []book.ID{seen, 7}))(t)
		for i, got := range []finding.Shelf{h.ForCourses, h.Picked, h.NearPrice, h.Seen, h.Away} {
			var ids []book.ID
			for _, v := range got {
				ids = append(ids, v.ID)
			}
			if !slices.Equal(ids, want[i]) {
				t.Errorf("%s: shelf %d has %v, want %v", what, i, ids, want[i])
			}
		}
		if h.Choose != (len(want[0]) == 0) || h.Price != 3000 {
			t.Errorf("%s: %v, %v", what, h.Choose, h.Price)
		}
	}
	shelves("with courses of last term", nil, []book.ID{far}, []book.ID{near, cheaper, old}, []book.ID{seen}, []book.ID{there})
	b.choose(t, bob, b.courses(t, bob, finding.Term{}, "")...)
	shelves("with a course", []book.ID{cheaper, old}, []book.ID{far}, []book.ID{near}, []book.ID{seen}, []book.ID{there})
	if _, err := b.Discovery.Home(t.Context(), user.Caller{}, campus, nil); err == nil {
		t.Error("somebody who is no student has shelves")
	}
}
