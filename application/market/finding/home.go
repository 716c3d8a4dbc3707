package finding

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Bounds of the shelves of Home.
const (
	ShelfBooks    = 6 // on a shelf
	shelfAndSpare = 9 // loaded for a shelf: some may be sold or on another one
	shelfCourses  = 4 // whose books are looked for: those chosen last
	shelfPerBook  = 3 // copies for a course
	pricesCompare = 9 // last purchases, of which the middle one is the caller's usual price
	recentWanted  = 200

	newestCompared = 120 // books of a campus among which those near a price are
	newestAway     = 30  // books of other campuses: some may be sold, or the caller's, before they are shown
)

// Shelf is a row of books for sale.
type Shelf []market.BookView

// CampusShelves are the books from which Home fills the shelves of everybody on a campus. A page may keep them for a while: Home
// leaves out those that were sold meanwhile.
type CampusShelves struct {
	University string // "": all campuses
	Picked     []book.ID
	Newest     []market.BookView
	Away       []book.ID // the newest on other campuses
}

// CampusShelves looks for books of a campus. The page adds those that it picks.
func (d *Discovery) CampusShelves(ctx context.Context, university string) (c CampusShelves, err error) {
	c.University = university
	c.Newest, err = d.reader.ListBooksForSale(ctx, Criteria{University: text.Key(university)}, Newest, market.Position{}, newestCompared)
	if err != nil || university == "" { // the list of the page is of all campuses
		return c, err
	}
	away, err := d.reader.ListBooksForSale(ctx, Criteria{NotUniversity: text.Key(university)}, Newest, market.Position{}, newestAway)
	for _, v := range away {
		c.Away = append(c.Away, v.ID)
	}
	return c, err
}

// Home is what the front page has for one student, beside the newest books of the campus. No book is on two shelves.
type Home struct {
	Choose     bool // no courses are chosen
	ForCourses Shelf
	Picked     Shelf // of the books that the page has picked
	NearPrice  Shelf
	Price      money.Amount // what the caller pays usually; 0: nothing was bought yet
	Seen       Shelf
	Away       Shelf // on other campuses
}

// Home returns the shelves for a student of a campus. seen are books that the caller has looked at, the last one first.
func (d *Discovery) Home(ctx context.Context, by user.Caller, campus CampusShelves, seen []book.ID) (Home, error) {
	if err := by.MustBeStudent(); err != nil {
		return Home{}, err
	}
	return market.ReadFor(ctx, by, d, d.standby, func(ctx context.Context, d *Discovery) (Home, error) {
		s := shelves{d: d, by: by, campus: campus, on: map[book.ID]bool{}}
		if err := s.forCourses(ctx); err != nil {
			return Home{}, err
		}
		err := s.known(ctx, seen)
		return s.home, err
	})
}

// Wanted lists at most n ISBNs among the newest open requests, those of most people first.
func (d *Discovery) Wanted(ctx context.Context, n int) ([]WantedISBN, error) {
	return d.reader.ListWantedISBNs(ctx, recentWanted, n)
}

// shelves fills a Home.
type shelves struct {
	d      *Discovery
	by     user.Caller
	campus CampusShelves
	home   Home
	on     map[book.ID]bool // a shelf
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

// forCourses takes the cheapest books of each course, one course after the other.
func (s *shelves) forCourses(ctx context.Context) error {
	codes, err := s.d.reader.ListChosenCourseCodes(ctx, s.by.ID, shelfCourses)
	if err != nil {
		return err
	}
	s.home.Choose = len(codes) == 0
	var keys []string
	for _, code := range codes {
		if key := text.Key(code); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	campus := Criteria{University: text.Key(s.campus.University), NotBy: s.by.ID}
	found, err := s.d.reader.ListCheapestOfCourses(ctx, campus, keys, shelfPerBook)
	for _, key := range keys {
		others := func(v market.BookView) bool { return text.Key(v.Course) != key }
		s.home.ForCourses = append(s.home.ForCourses, s.take(slices.DeleteFunc(slices.Clone(found), others))...)
	}
	return err
}

// known loads in one statement the books of the other shelves, whose ids are known. Those that were sold meanwhile are left out.
func (s *shelves) known(ctx context.Context, seen []book.ID) error {
	near, err := s.nearPrice(ctx)
	if err != nil {
		return err
	}
	away := s.campus.Away[:min(len(s.campus.Away), shelfAndSpare)]
	var hits []book.Hit
	for _, id := range slices.Concat(s.campus.Picked, near, seen, away) {
		if !s.on[id] {
			hits = append(hits, book.Hit{ID: id})
		}
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
	s.home.Picked, s.home.Seen = s.take(of(s.campus.Picked)), s.take(of(seen))
	s.home.NearPrice, s.home.Away = s.take(of(near)), s.take(of(away))
	return nil
}

// nearPrice lists those of the newest books on the campus that cost within a third of what the caller usually pays.
func (s *shelves) nearPrice(ctx context.Context) (near []book.ID, err error) {
	paid, err := s.d.reader.ListPricesPaidBy(ctx, s.by.ID, pricesCompare)
	if err != nil || len(paid) == 0 {
		return nil, err
	}
	slices.Sort(paid)
	s.home.Price = paid[len(paid)/2]
	for _, v := range s.campus.Newest {
		if 3*v.Price >= 2*s.home.Price && 3*v.Price <= 4*s.home.Price && v.Seller != s.by.ID && len(near) < shelfAndSpare {
			near = append(near, v.ID)
		}
	}
	return near, nil
}
