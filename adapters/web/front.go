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

// frontBooks is how many books the front page shows.
const frontBooks = 24

type frontView struct {
	Market, Student bool
	Self            user.ID
	Query           string
	Filter          form
	Filtered        bool
	Trouble         string
	Books           []market.BookView
	Here, More      string // addresses: this page, and the next one of the list
	Links           []Link
}

// front serves GET /: what Octavo is, and the books for sale.
func (p *Pages) front(w http.ResponseWriter, r *http.Request) {
	lang, by := langOf(r), visitorOf(r).by
	query := r.URL.Query()
	v := frontView{Market: p.Catalogue != nil, Student: by.Student, Self: by.ID, Links: p.Links, Query: strings.TrimSpace(text.StripHidden(query.Get("q"))), Here: r.URL.RequestURI()}
	status := http.StatusOK
	if v.Market {
		v.Filter = filterForm.filled(query)
		v.Filtered = v.Filter.answered()
		books, next, err := p.booksOnFront(r, v.Query)
		if err != nil {
			p.log(r, "front page", err)
			httpx.SetRetryAfter(w.Header(), err)
			status, v.Trouble = httpx.Status(err), say(lang, "The books cannot be shown right now. Please try again in a moment.")
			if fault.KindOf(err) == fault.Invalid {
				v.Filter = v.Filter.blamed(lang, err)
				v.Trouble = v.Filter.Trouble
			}
		}
		v.Books, v.More = books, further(r, next)
	}
	w.Header().Set("Cache-Control", "no-cache")
	title := say(lang, "Textbooks from students, for students")
	if v.Query != "" {
		title = say(lang, "Search: %s", v.Query)
	}
	p.show(w, r, status, "front", frame{lang, title, v})
}

// booksOnFront are the same for everybody: whoever has just offered a book looks for
// it here.
func (p *Pages) booksOnFront(r *http.Request, query string) ([]market.BookView, market.Cursor, error) {
	filter, err := filterOf(r.URL.Query())
	if err != nil {
		return nil, "", err
	}
	page := market.Page{Limit: frontBooks, Cursor: market.Cursor(r.URL.Query().Get("cursor"))}
	if query == "" {
		return p.Catalogue.List(r.Context(), user.Caller{}, filter, page)
	}
	return p.Catalogue.Search(r.Context(), user.Caller{}, query, filter, page)
}

// filterForm narrows the list. Its fields are those of the JSON API.
var filterForm = form{Fields: []field{
	{Name: "university", Label: "University", Max: 100, Optional: true},
	{Name: "course", Label: "Course", Max: 40, Optional: true},
	{Name: "condition", Label: "Condition", Type: "choice", Optional: true, Options: append([]option{{Value: "", Label: "Any"}}, conditions()...)},
	{Name: "minPrice", Label: "Minimum price", Mode: "decimal", Max: 8, Optional: true},
	{Name: "maxPrice", Label: "Maximum price", Mode: "decimal", Max: 8, Optional: true},
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

// answered reports whether any question was.
func (f form) answered() bool {
	for _, q := range f.Fields {
		if q.Value != "" {
			return true
		}
	}
	return false
}

func filterOf(query url.Values) (market.Filter, error) {
	f := market.Filter{
		University: strings.TrimSpace(query.Get("university")), Course: strings.TrimSpace(query.Get("course")),
		Condition: query.Get("condition"), Sort: market.Sort(query.Get("sort")),
	}
	var err error
	if f.MinPrice, err = optionalMoney(query, "minPrice"); err != nil {
		return f, err
	}
	f.MaxPrice, err = optionalMoney(query, "maxPrice")
	return f, err
}

// optionalMoney reads dollars; nil where nothing was typed.
func optionalMoney(values url.Values, name string) (*money.Cents, error) {
	typed := strings.TrimSpace(values.Get(name))
	if typed == "" {
		return nil, nil
	}
	cents, err := moneyOf(typed)
	if err != nil {
		return nil, err.WithField(name, moneyHint)
	}
	return &cents, nil
}

const moneyHint = "Must be dollars with at most two decimals, such as 12.50."

// moneyOf reads dollars as people type them: with a dollar sign or a decimal
// comma, too.
func moneyOf(typed string) (money.Cents, *fault.Error) {
	cents, err := money.Parse(strings.Replace(strings.Trim(typed, " $"), ",", ".", 1))
	if err != nil {
		return 0, money.ErrInvalid
	}
	return cents, nil
}

// further is the address of the page after this one; empty if this is the last.
func further[C ~string](r *http.Request, next C) string {
	if next == "" {
		return ""
	}
	q := r.URL.Query()
	q.Set("cursor", string(next))
	return r.URL.Path + "?" + q.Encode()
}
