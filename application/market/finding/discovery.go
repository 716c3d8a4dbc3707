package finding

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// Bounds of the lists of titles.
const (
	MaxCount         = 1000 // books that are counted
	MaxCopies        = 200  // newest copies of a title that are summarised
	maxBatches       = 4    // of copies on one page
	maxUniversities  = 100  // suggested
	maxNewBooks      = 400  // whose courses are suggested
	copiesOfASearch  = 2    // for each title of a page, because a search reads one batch
	maxOthers        = 4    // other copies on the page of a book
	maxSameTitleHits = 20   // books that are compared with one without an ISBN
)

// Discovery lists the books for sale by title, with numbers and suggestions. It shows the same
// to everybody, including the callers' own books.
type Discovery struct {
	catalogue *Catalogue
	reader    Reader
	standby   market.OnStandby[Discovery]
}

// newDiscovery returns the use cases of discovery.
func newDiscovery(r Reader) *Discovery {
	return &Discovery{catalogue: NewCatalogue(r), reader: r}
}

// WithStandby lets lists of books and suggestions read from a standby.
func (d *Discovery) WithStandby(s market.OnStandby[Discovery]) *Discovery {
	d.standby = s
	return d
}

// Browse lists the books for sale by title: those that match a text, or all if it is empty. The
// copies with one ISBN are one title, at the place of its first copy; a book without an ISBN is
// a title of its own. A page has about as many titles as its limit.
//
// A list has each title once. A search may repeat a title on a later page.
func (d *Discovery) Browse(ctx context.Context, by user.Caller, text string, f Filter, p market.Page) (TitlePage, error) {
	return market.ReadFor(ctx, by, d, d.standby, func(ctx context.Context, d *Discovery) (TitlePage, error) {
		return d.browse(ctx, text, f, p)
	})
}

func (d *Discovery) browse(ctx context.Context, text string, f Filter, p market.Page) (TitlePage, error) {
	criteria, err := f.criteria(0)
	if err != nil {
		return TitlePage{}, err
	}
	at, n, err := p.Read()
	if err != nil {
		return TitlePage{}, err
	}
	if text != "" {
		return d.search(ctx, text, f, criteria, p.Cursor, n)
	}
	var page TitlePage
	for range maxBatches {
		views, next, err := d.catalogue.listPage(ctx, criteria, f.Sort, p)
		if err != nil {
			return TitlePage{}, err
		}
		titles, err := d.summarise(ctx, page.newTitles(views), criteria, f.Sort, at)
		if err != nil {
			return TitlePage{}, err
		}
		page.Titles = append(page.Titles, slices.DeleteFunc(titles, func(t TitleView) bool { return t.All.Before })...)
		page.Next, p.Cursor = next, next
		if next == "" || len(page.Titles) > n/2 {
			break
		}
	}
	page.Count, err = countBooks(ctx, d.reader, criteria)
	return page, err
}

// search lists at most n titles.
func (d *Discovery) search(ctx context.Context, text string, f Filter, criteria Criteria, after market.Cursor, n int) (TitlePage, error) {
	found, err := d.catalogue.search(ctx, user.Caller{}, text, f, market.Page{Limit: min(copiesOfASearch*n,
		market.MaxLimit), Cursor: after}, d.reader)
	if err != nil {
		return TitlePage{}, err
	}
	page := TitlePage{Next: found.next, Count: found.count, Instead: found.instead}
	titles := page.newTitles(found.views)
	if len(titles) > n {
		last := slices.IndexFunc(found.views, func(v market.BookView) bool { return v.ID == titles[n].ID }) - 1
		titles, page.Next = titles[:n], found.at(found.views[last]).Cursor()
	}
	page.Titles, err = d.summarise(ctx, titles, criteria, f.Sort, market.Position{})
	return page, err
}

// newTitles returns the first copy of each title that is not on the page yet.
func (p *TitlePage) newTitles(views []market.BookView) []TitleView {
	var titles []TitleView
	for _, v := range views {
		same := func(t TitleView) bool { return v.ISBN != "" && t.ISBN == v.ISBN }
		if slices.ContainsFunc(p.Titles, same) || slices.ContainsFunc(titles, same) {
			continue
		}
		titles = append(titles, TitleView{v, TitleSummary{ISBN: v.ISBN, Copies: market.Count{N: 1}, Lowest: v.Price}})
	}
	return titles
}

// summarise completes the titles with an ISBN.
func (d *Discovery) summarise(ctx context.Context, titles []TitleView, c Criteria, s Sort, at market.Position) ([]TitleView, error) {
	var isbns []book.ISBN
	for _, t := range titles {
		if t.ISBN != "" {
			isbns = append(isbns, t.ISBN)
		}
	}
	if len(isbns) == 0 {
		return titles, nil
	}
	summaries, err := d.reader.SummariseTitles(ctx, isbns, c, s, at, MaxCopies)
	for _, all := range summaries {
		i := slices.IndexFunc(titles, func(t TitleView) bool { return t.ISBN == all.ISBN })
		titles[i].All = all
	}
	return titles, err
}

// Title lists the copies for sale with an ISBN that meet the filter, the cheapest first. If there
// are none, Like is a copy that does not meet it, or nil.
func (d *Discovery) Title(ctx context.Context, by user.Caller, typed string, f Filter, p market.Page) (TitlePage, error) {
	return market.ReadFor(ctx, by, d, d.standby, func(ctx context.Context, d *Discovery) (TitlePage, error) {
		return d.title(ctx, typed, f, p)
	})
}

func (d *Discovery) title(ctx context.Context, typed string, f Filter, p market.Page) (TitlePage, error) {
	criteria, err := f.criteria(0)
	if err != nil {
		return TitlePage{}, err
	}
	at, n, err := p.Read()
	if err != nil {
		return TitlePage{}, err
	}
	var ok bool
	if criteria.ISBN, ok = pasted.ISBN(typed); !ok {
		return TitlePage{}, ErrNoSuchTitle
	}
	if f.Sort == DefaultOrder {
		f.Sort = PriceAsc
	}
	page := TitlePage{ISBN: criteria.ISBN}
	views, next, err := d.catalogue.list(ctx, criteria, f.Sort, at, n)
	if err != nil {
		return TitlePage{}, err
	}
	for _, v := range views {
		page.Titles = append(page.Titles, TitleView{BookView: v})
	}
	page.Next = next
	if page.Count, err = countBooks(ctx, d.reader, criteria); err != nil {
		return TitlePage{}, err
	}
	if page.Grades, err = d.grades(ctx, criteria); err != nil {
		return TitlePage{}, err
	}
	like, err := d.reader.ListBooksForSale(ctx, Criteria{ISBN: criteria.ISBN}, Newest, market.Position{}, 1)
	if len(like) > 0 {
		page.Like = &like[0]
	}
	return page, err
}

// grades summarises the copies in each condition.
func (d *Discovery) grades(ctx context.Context, c Criteria) ([]GradeSummary, error) {
	var all []GradeSummary
	for _, c.Condition = range book.Conditions() {
		summaries, err := d.reader.SummariseTitles(ctx, []book.ISBN{c.ISBN}, c, DefaultOrder, market.Position{}, MaxCopies)
		if err != nil {
			return nil, err
		}
		for _, s := range summaries {
			all = append(all, GradeSummary{c.Condition, s})
		}
	}
	return all, nil
}

// ListOthers lists a few other copies of the same title: the cheapest with the ISBN of the book,
// or if it has none the newest with its title.
func (d *Discovery) ListOthers(ctx context.Context, by user.Caller, b book.Book) ([]market.BookView, error) {
	return market.ReadFor(ctx, by, d, d.standby, func(ctx context.Context, d *Discovery) ([]market.BookView, error) {
		return d.listOthers(ctx, b)
	})
}

func (d *Discovery) listOthers(ctx context.Context, b book.Book) (others []market.BookView, err error) {
	if b.ISBN != "" {
		others, err = d.reader.ListBooksForSale(ctx, Criteria{ISBN: b.ISBN}, PriceAsc, market.Position{}, maxOthers+1)
	} else {
		others, err = d.sameTitle(ctx, b)
	}
	others = slices.DeleteFunc(others, func(v market.BookView) bool { return v.ID == b.ID })
	return others[:min(len(others), maxOthers)], err
}

func (d *Discovery) sameTitle(ctx context.Context, b book.Book) ([]market.BookView, error) {
	found, err := d.reader.FindBooksByCourseOrTitle(ctx, "", book.TitleKey(b.Name), Criteria{}, maxSameTitleHits)
	if err != nil {
		return nil, err
	}
	hits := make([]book.Hit, len(found))
	for i, c := range found {
		hits[i].ID = c.ID
	}
	return d.catalogue.loadHits(ctx, hits)
}

// FindSeller returns what everybody may know of a seller.
func (d *Discovery) FindSeller(ctx context.Context, id user.ID) (market.Seller, error) {
	return d.reader.FindSeller(ctx, id, market.MaxSales+1)
}

// OwnUniversity returns the caller's university, "" for callers who are not students.
func (d *Discovery) OwnUniversity(ctx context.Context, by user.Caller) (string, error) {
	if !by.Student {
		return "", nil
	}
	s, err := d.reader.FindSeller(ctx, by.ID, 0)
	return s.University, err
}

// Suggest lists universities, and courses of the newest books at the university of the filter.
func (d *Discovery) Suggest(ctx context.Context, by user.Caller, f Filter) (Suggestions, error) {
	return market.ReadFor(ctx, by, d, d.standby, func(ctx context.Context, d *Discovery) (Suggestions, error) { return d.suggest(ctx, f) })
}

func (d *Discovery) suggest(ctx context.Context, f Filter) (Suggestions, error) {
	universities, err := d.reader.ListUniversities(ctx, maxUniversities)
	if err != nil {
		return Suggestions{}, err
	}
	courses, err := d.reader.ListNewCourses(ctx, text.Key(f.University), maxNewBooks)
	return Suggestions{universities, courses}, err
}
