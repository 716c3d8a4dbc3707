package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// frontBooks is the number of books on one home page.
const frontBooks = 24

type frontView struct {
	Market, Student bool
	Service         string // the name of the service
	SignedIn        bool
	Self            user.ID
	Query           string
	Filter          form
	Filtered        bool
	Error           string
	Books           []market.BookView
	Here, More      string // the paths of this page and of the next one
	Links           []Link
}

// front serves GET /, the home page with the books for sale.
func (p *Pages) front(w http.ResponseWriter, r *http.Request) {
	lang, by := langOf(r), viewerOf(r).by
	query := r.URL.Query()
	v := frontView{Market: p.Catalogue != nil, Service: p.Service, SignedIn: by.SignedIn(), Student: by.Student, Self: by.ID, Links: p.Links, Query: strings.TrimSpace(text.StripHidden(query.Get("q"))), Here: r.URL.RequestURI()}
	status := http.StatusOK
	if v.Market {
		v.Filter = filterForm.withValues(query)
		v.Filtered = v.Filter.hasValues()
		books, next, err := p.booksOnFront(r, v.Query)
		if err != nil {
			p.log(r, "front page", err)
			httpx.SetRetryAfter(w.Header(), err)
			status, v.Error = httpx.Status(err), translate(lang, "The books cannot be shown right now. Please try again in a moment.")
			if fault.KindOf(err) == fault.Invalid {
				v.Filter = v.Filter.withErrors(lang, err)
				v.Error = v.Filter.Error
			}
		}
		v.Books, v.More = books, nextLink(r, next)
	}
	w.Header().Set("Cache-Control", "no-cache")
	title := translate(lang, "Home")
	if v.Market {
		title = translate(lang, "Textbooks from students, for students")
	}
	if v.Query != "" {
		title = translate(lang, "Search: %s", v.Query)
	}
	p.render(w, r, status, "front", pageData{lang, title, v})
}

// booksOnFront returns the same books for everybody, including the viewer's own:
// sellers look here for the book they have just listed.
func (p *Pages) booksOnFront(r *http.Request, query string) ([]market.BookView, market.Cursor, error) {
	filter, err := filterOf(r.URL.Query(), p.Currency)
	if err != nil {
		return nil, "", err
	}
	page := market.Page{Limit: frontBooks, Cursor: market.Cursor(r.URL.Query().Get("cursor"))}
	if query == "" {
		return p.Catalogue.List(r.Context(), user.Caller{}, filter, page)
	}
	return p.Catalogue.Search(r.Context(), user.Caller{}, query, filter, page)
}

// filterForm filters the list. Its field names are those of the JSON API.
var filterForm = form{Fields: []field{
	{Name: "university", Label: "University", Max: 100, Optional: true},
	{Name: "course", Label: "Course", Max: 40, Optional: true},
	{Name: "condition", Label: "Condition", Type: "choice", Optional: true, Options: append([]option{{Value: "", Label: "Any"}}, conditions()...)},
	{Name: "minPrice", Label: "Minimum price", InputMode: "decimal", Max: 8, Optional: true},
	{Name: "maxPrice", Label: "Maximum price", InputMode: "decimal", Max: 8, Optional: true},
	{Name: "sort", Label: "Sort by", Type: "choice", Optional: true, Options: []option{
		{Value: "", Label: "Best match"}, {Value: "newest", Label: "Newest first"}, {Value: "price", Label: "Price: low to high"}, {Value: "-price", Label: "Price: high to low"},
	}},
}}

func conditions() []option {
	var all []option
	for _, c := range book.Conditions() {
		all = append(all, option{Value: c.String(), Label: c.String()})
	}
	return all
}

// hasValues reports whether any field has a value.
func (f form) hasValues() bool {
	for _, field := range f.Fields {
		if field.Value != "" {
			return true
		}
	}
	return false
}

func filterOf(query url.Values, c money.Currency) (market.Filter, error) {
	f := market.Filter{
		University: strings.TrimSpace(query.Get("university")), Course: strings.TrimSpace(query.Get("course")),
		Condition: query.Get("condition"), Sort: market.Sort(query.Get("sort")),
	}
	var err error
	if f.MinPrice, err = optionalAmount(query, "minPrice", c); err != nil {
		return f, err
	}
	f.MaxPrice, err = optionalAmount(query, "maxPrice", c)
	return f, err
}

// optionalAmount parses an amount. It returns nil for an empty field.
func optionalAmount(values url.Values, name string, c money.Currency) (*money.Amount, error) {
	typed := strings.TrimSpace(values.Get(name))
	if typed == "" {
		return nil, nil
	}
	a, err := amountOf(c, typed)
	if err != nil {
		return nil, err.WithField(name, c.Hint())
	}
	return &a, nil
}

// nextLink returns the path of the next page of a list, "" after the last.
func nextLink[C ~string](r *http.Request, next C) string {
	if next == "" {
		return ""
	}
	q := r.URL.Query()
	q.Set("cursor", string(next))
	return r.URL.Path + "?" + q.Encode()
}
