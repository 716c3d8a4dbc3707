package findingpages

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// homeView is the front page of a student: shelves before and after the newest books of the campus.
type homeView struct {
	Choose        bool // no courses are chosen
	Before, After []shelfView
	Wanted        []wantedView
}

// shelfView is a row of books.
type shelfView struct {
	ID, Head, Note string // what the books have in common, and why they are shown
	All            string // the path of all of them; "": there is none
	Titles         []titleEntry
	Here           string
	Student        bool
}

// wantedView is a book that others look for.
type wantedView struct {
	Name, Course, Sell string // the path of the form that sells it
	People             int
}

// homeBooks is how many of the newest books are between the shelves.
const homeBooks = 10

// isHome reports whether a student opens the front page and looks for nothing.
func (v frontView) isHome(r *http.Request) bool { return v.List.Student && len(r.URL.Query()) == 0 }

// homeOf returns the shelves for a student. The page is shown without them rather than not at all.
func (p *Pages) homeOf(r *http.Request, by user.Caller, own string) *homeView {
	f := p.FormatIn(web.LangOf(r))
	home, err := p.Market.Discovery.Home(r.Context(), by, p.campuses.at(r.Context(), p, own), seenIn(p.Cookies.Seen(r)))
	if err != nil {
		p.LogFailure(r, "fill the shelves", err)
		return nil
	}
	v := &homeView{Choose: home.Choose, Wanted: p.wantedBy(r, by)}
	shelf := func(to *[]shelfView, id, head, note, all string, books finding.Shelf) {
		if len(books) == 0 {
			return
		}
		s := shelfView{ID: id, Head: head, Note: note, All: all, Here: "/", Student: true}
		for _, b := range books {
			facts := web.FactsOf(f, b)
			if own != "" && text.Key(b.University) == text.Key(own) {
				facts.Where = ""
			}
			s.Titles = append(s.Titles, titleEntry{Path: "/book?id=" + facts.ID, Book: facts})
		}
		*to = append(*to, s)
	}
	shelf(&v.Before, "courses", "For your courses", "", "/courses", home.ForCourses)
	shelf(&v.Before, "cheap", "Cheaper than usual", "Priced below what most copies have sold for.", "", home.Picked)
	if home.Price != 0 {
		shelf(&v.After, "price", "Near your price", "", "/?"+url.Values{
			"minPrice": {p.Currency.Format(home.Price * 2 / 3)}, "maxPrice": {p.Currency.Format(home.Price * 4 / 3)},
		}.Encode(), home.NearPrice)
	}
	shelf(&v.After, "seen", "Seen lately", "", "", home.Seen)
	shelf(&v.After, "elsewhere", "On other campuses", "", "/?university=", home.Away)
	return v
}

// wantedShown is how many wanted books are shown.
const wantedShown = 4

// wantedBy lists books that others than the viewer look for.
func (p *Pages) wantedBy(r *http.Request, by user.Caller) (all []wantedView) {
	for _, w := range p.wanted.now(r, p, by) {
		if len(all) < wantedShown && (w.One != by.ID || w.People > 1) {
			all = append(all, wantedView{Name: w.name, Course: w.course, Sell: "/sell?isbn=" + string(w.ISBN), People: w.People})
		}
	}
	return all
}

// wantedBooks has what most people look for. It is the same for everybody.
type wantedBooks struct {
	mu    sync.Mutex
	until time.Time
	books []wantedBook
}

// wantedBook is a book with the title under which it was listed here: what people type in a request is between them and us.
type wantedBook struct {
	finding.WantedISBN
	name, course string
}

const wantedFor = time.Minute

// now returns the books. One request looks for them; others get those from before meanwhile.
func (c *wantedBooks) now(r *http.Request, p *Pages, by user.Caller) []wantedBook {
	at := p.Clock.Now()
	c.mu.Lock()
	kept := c.books
	if at.Before(c.until) {
		c.mu.Unlock()
		return kept
	}
	c.until = at.Add(wantedFor)
	c.mu.Unlock()
	found, err := p.lookForWanted(r.Context(), by)
	if err != nil {
		p.LogFailure(r, "list wanted books", err)
		return kept
	}
	c.mu.Lock()
	c.books = found
	c.mu.Unlock()
	return found
}

func (p *Pages) lookForWanted(ctx context.Context, by user.Caller) (found []wantedBook, err error) {
	wanted, err := p.Market.Discovery.Wanted(ctx, 2*wantedShown)
	if err != nil {
		return nil, err
	}
	for _, w := range wanted {
		known, ok, err := p.Market.ISBNLookup.Find(ctx, by, string(w.ISBN))
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, wantedBook{w, known.Name, book.CourseLabel(known.Course)})
		}
	}
	return found, nil
}

// maxSeen is how many books a browser remembers that its user has looked at.
const maxSeen = 8

// seenIn reads the ids in a cookie.
func seenIn(ids []string) (seen []book.ID) {
	for _, one := range ids[:min(len(ids), maxSeen)] {
		if id := web.IDOf[book.ID](one); id != 0 {
			seen = append(seen, id)
		}
	}
	return seen
}

// remember puts a book before those that the browser remembers.
func (p *Pages) remember(w http.ResponseWriter, r *http.Request, id string) {
	others := slices.DeleteFunc(p.Cookies.Seen(r), func(other string) bool { return other == id })
	all := append([]string{id}, others...)
	p.Cookies.SetSeen(w, all[:min(len(all), maxSeen)])
}

// campusShelves has what the shelves of everybody on a campus are filled from.
type campusShelves struct {
	mu       sync.Mutex
	campuses map[string]campusShelf
}

type campusShelf struct {
	until time.Time
	books finding.CampusShelves
}

const (
	campusFor  = time.Minute
	cheapAmong = 30  // newest books of a campus
	campusMax  = 200 // campuses of which something is kept
)

// at returns the books of a campus. One request looks for them; others get those from before meanwhile.
func (c *campusShelves) at(ctx context.Context, p *Pages, campus string) finding.CampusShelves {
	key, now := text.Key(campus), p.Clock.Now()
	c.mu.Lock()
	kept, known := c.campuses[key]
	if known && now.Before(kept.until) {
		c.mu.Unlock()
		return kept.books
	}
	if len(c.campuses) >= campusMax || c.campuses == nil {
		c.campuses = map[string]campusShelf{}
	}
	kept.until = now.Add(campusFor)
	kept.books.University = campus
	c.campuses[key] = kept
	c.mu.Unlock()
	found, err := p.campusBooks(ctx, campus)
	if err != nil {
		p.Log.WarnContext(ctx, "cannot look for the books of a campus", "error", err)
		return kept.books
	}
	c.mu.Lock()
	c.campuses[key] = campusShelf{kept.until, found}
	c.mu.Unlock()
	return found
}

// campusBooks picks those of the newest books of a campus that cost less than three of four copies have sold for.
func (p *Pages) campusBooks(ctx context.Context, campus string) (finding.CampusShelves, error) {
	found, err := p.Market.Discovery.CampusShelves(ctx, campus)
	if err != nil {
		return found, err
	}
	for _, b := range found.Newest[:min(len(found.Newest), cheapAmong)] {
		q := selling.PriceQuery{ISBN: string(b.ISBN), Name: web.Foldable(b.Name)}
		if q.Check() != nil {
			continue
		}
		hint, err := p.Market.Prices.Hint(ctx, user.Caller{}, q)
		if err != nil {
			return found, err
		}
		if hint.Known() && b.Price < hint.Low && len(found.Picked) < 2*finding.ShelfBooks {
			found.Picked = append(found.Picked, b.ID)
		}
	}
	return found, nil
}
