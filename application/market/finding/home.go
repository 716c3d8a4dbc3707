package finding

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/course"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// Bounds of the shelves of Home. Each shelf is one statement, that of courses one for each of them.
const (
	ShelfBooks    = 6 // on a shelf
	shelfCourses  = 4 // whose books are looked for: those chosen last
	shelfPerBook  = 3 // copies for a course
	pricesCompare = 9 // last purchases, of which the middle one is the caller's usual price
	recentWanted  = 200
)

// Shelf is a row of books for sale.
type Shelf []market.BookView

// Home is what the front page has for one student, beside the newest books of the campus. No book is on two shelves.
type Home struct {
	University string
	Choose     bool // no courses are chosen
	ForCourses Shelf
	Picked     Shelf // of the books that were asked for, those for sale on the campus
	NearPrice  Shelf
	Price      money.Amount // what the caller pays usually; 0: nothing was bought yet
	Seen       Shelf
	Elsewhere  Shelf // on other campuses
}

// Home returns the shelves for a student. picked are books that the page has chosen for everybody on the campus, seen those that
// the caller has looked at, the last one first.
func (d *Discovery) Home(ctx context.Context, by user.Caller, picked, seen []book.ID) (Home, error) {
	if err := by.MustBeStudent(); err != nil {
		return Home{}, err
	}
	own, err := d.OwnUniversity(ctx, by)
	if err != nil {
		return Home{}, err
	}
	return market.ReadFor(ctx, by, d, d.standby, func(ctx context.Context, d *Discovery) (Home, error) {
		s := shelves{d: d, by: by, home: Home{University: own}, on: map[book.ID]bool{}}
		for _, fill := range []func(context.Context) error{
			s.forCourses, func(ctx context.Context) error { return s.known(ctx, picked, seen) }, s.nearPrice, s.elsewhere,
		} {
			if err := fill(ctx); err != nil {
				return Home{}, err
			}
		}
		return s.home, nil
	})
}

// Newest lists the newest n books for sale at a university.
func (d *Discovery) Newest(ctx context.Context, university string, n int) ([]market.BookView, error) {
	return d.reader.ListBooksForSale(ctx, Criteria{University: book.Key(university)}, Newest, market.Position{}, n)
}

// Wanted lists at most n ISBNs among the newest open requests, those of most people first.
func (d *Discovery) Wanted(ctx context.Context, n int) ([]WantedISBN, error) {
	return d.reader.ListWantedISBNs(ctx, recentWanted, n)
}

// shelves fills a Home.
type shelves struct {
	d    *Discovery
	by   user.Caller
	home Home
	on   map[book.ID]bool // a shelf
}

// take returns those of the books that are on no shelf yet and not the caller's.
func (s *shelves) take(found []market.BookView) (taken Shelf) {
	for _, v := range found {
		if !s.on[v.ID] && v.Seller != s.by.ID && len(taken) < ShelfBooks {
			s.on[v.ID] = true
			taken = append(taken, v)
		}
	}
	return taken
}

func (s *shelves) campus() Criteria {
	return Criteria{University: book.Key(s.home.University), NotBy: s.by.ID}
}

func (s *shelves) forCourses(ctx context.Context) error {
	chosen, err := s.d.reader.ListChosenCourses(ctx, s.by.ID, 0, course.MaxAllChosen)
	if err != nil {
		return err
	}
	chosen = slices.DeleteFunc(chosen, func(c ChosenCourse) bool { return c.Past })
	s.home.Choose = len(chosen) == 0
	for _, c := range chosen[:min(len(chosen), shelfCourses)] {
		criteria := s.campus()
		if criteria.Course = book.Key(c.Code); criteria.Course == "" {
			continue
		}
		found, err := s.d.reader.ListBooksForSale(ctx, criteria, PriceAsc, market.Position{}, shelfPerBook)
		if err != nil {
			return err
		}
		s.home.ForCourses = append(s.home.ForCourses, s.take(found)...)
	}
	return nil
}

// known loads the books whose ids are known. Those that were sold meanwhile are left out.
func (s *shelves) known(ctx context.Context, picked, seen []book.ID) error {
	hits := make([]book.Hit, 0, len(picked)+len(seen))
	for _, id := range slices.Concat(picked, seen) {
		hits = append(hits, book.Hit{ID: id})
	}
	views, err := s.d.catalogue.loadHits(ctx, hits)
	if err != nil {
		return err
	}
	of := func(ids []book.ID) (all []market.BookView) {
		for _, id := range ids {
			if i := slices.IndexFunc(views, func(v market.BookView) bool { return v.ID == id }); i >= 0 {
				all = append(all, views[i])
			}
		}
		return all
	}
	s.home.Picked, s.home.Seen = s.take(of(picked)), s.take(of(seen))
	return nil
}

// nearPrice looks for books that cost within a third of what the caller usually pays.
func (s *shelves) nearPrice(ctx context.Context) error {
	bought, err := s.d.reader.ListBooksBoughtBy(ctx, s.by.ID, 0, pricesCompare)
	if err != nil || len(bought) == 0 {
		return err
	}
	slices.SortFunc(bought, func(a, b market.BookView) int { return int(a.Price - b.Price) })
	s.home.Price = bought[len(bought)/2].Price
	criteria, low, high := s.campus(), s.home.Price*2/3, s.home.Price*4/3
	criteria.MinPrice, criteria.MaxPrice = &low, &high
	found, err := s.d.reader.ListBooksForSale(ctx, criteria, Newest, market.Position{}, ShelfBooks+6)
	s.home.NearPrice = s.take(found)
	return err
}

func (s *shelves) elsewhere(ctx context.Context) error {
	own := book.Key(s.home.University)
	if own == "" { // the list of the page is of all campuses
		return nil
	}
	found, err := s.d.reader.ListBooksForSale(ctx, Criteria{NotUniversity: own, NotBy: s.by.ID}, Newest, market.Position{}, ShelfBooks+6)
	s.home.Elsewhere = s.take(found)
	return err
}
