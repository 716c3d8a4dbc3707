package findingpages

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/user"
)

// frontPages is the home page, which also exists without the market.
func (p *Pages) frontPages() web.Feature {
	return web.Feature{Crawled: []string{"/$", "/?cursor="}, Routes: []*web.Route{web.Get("/", p.Unguarded(p.front))}}
}

// frontBooks is the number of books on one home page.
const frontBooks = 24

type frontView struct {
	List     listView
	Market   bool
	Service  string // the name of the service
	SignedIn bool
	Error    string
	Save     []web.Hidden // the search, for the form that saves it; empty: none to save
	Links    []web.Link
	Home     *homeView // nil: the viewer looks for something, or is no student
	About    bool      // says what this is, to visitors
}

// front serves GET /, the home page with the books for sale.
func (p *Pages) front(w http.ResponseWriter, r *http.Request) {
	lang, by := web.LangOf(r), web.ViewerOf(r).By
	v := frontView{Market: p.Discovery != nil, Service: p.Service, SignedIn: by.SignedIn(), Links: p.Links}
	status := http.StatusOK
	if v.Market {
		v.List = p.listViewOf(r, frontForm(r.URL.Query().Get("q")))
		v.Save = v.List.searchToSave()
		if err := p.fillFront(r, &v); err != nil {
			p.LogFailure(r, "front page", err)
			httpx.SetRetryAfter(w.Header(), err)
			status, v.Error = httpx.Status(err), web.Translate(lang, "The books cannot be shown right now. Please try again in a moment.")
			if fault.KindOf(err) == fault.Invalid {
				v.List.Filter = v.List.Filter.WithErrors(lang, err)
				v.Error = v.List.Filter.Error
			}
		}
	}
	p.Share(w, r.URL.Path, market.ListKeys())
	p.Render(w, r, status, "front", web.PageData{Lang: lang, Title: v.title(lang), Page: v})
}

func (v frontView) title(lang user.Lang) string {
	switch {
	case v.List.Query != "":
		return web.Translate(lang, "Search: %s", v.List.Query)
	case v.Market:
		return web.Translate(lang, "Textbooks from students, for students")
	}
	return web.Translate(lang, "Home")
}

// fillFront reads the books of the page. Everybody sees the same, sellers also their own: they look
// here for the book that they have just listed.
func (p *Pages) fillFront(r *http.Request, v *frontView) error {
	filter, err := filterOf(v.List.values, p.Currency)
	if err != nil {
		return err
	}
	limit := frontBooks
	if p.Market != nil && v.isHome(r) {
		limit = homeBooks
		v.Home = p.homeOf(r, web.ViewerOf(r).By, v.List.Campus.Own)
	}
	page, err := p.Discovery.Browse(r.Context(), web.ViewerOf(r).By, v.List.Query, filter, market.Page{Limit: limit, Cursor: web.PageOf(r).Cursor})
	if err != nil {
		return err
	}
	p.fill(&v.List, r, page)
	v.About = !v.SignedIn && len(r.URL.Query()) == 0
	if v.List.Query != "" || len(v.List.Chips) > 0 {
		p.lookElsewhere(r, &v.List, filter, func(f finding.Filter, page market.Page) (finding.TitlePage, error) {
			return p.Discovery.Browse(r.Context(), web.ViewerOf(r).By, v.List.Query, f, page)
		})
	}
	all, err := p.Discovery.Suggest(r.Context(), web.ViewerOf(r).By, filter)
	if err != nil { // show the page without them
		p.LogFailure(r, "suggest universities and courses", err)
	}
	v.List.Filter = v.List.Filter.WithSuggestions("university", all.Universities).WithSuggestions("course", all.Courses)
	return nil
}

// frontForm is the filter of a list, or of a search.
func frontForm(query string) web.Form {
	f := filterForm
	if strings.TrimSpace(query) == "" {
		f.Fields = slices.Clone(f.Fields)
		f.Fields[len(f.Fields)-1].Options = []web.Option{
			{Value: "", Label: "Newest first"}, {Value: "price", Label: "Price: low to high"}, {Value: "-price", Label: "Price: high to low"},
		}
	}
	return f
}

// filterForm filters the list. Its field names are those of the JSON API.
var filterForm = web.Form{Fields: []web.Field{
	{Name: "university", Label: "Campus", Max: 100, Optional: true},
	{Name: "course", Label: "Course", Max: 40, Optional: true},
	{Name: "condition", Label: "Condition", Type: "choice", Optional: true, Options: append([]web.Option{{Value: "", Label: "Any"}}, conditions()...)},
	{Name: "minPrice", Label: "Minimum price", InputMode: "decimal", Max: web.MaxTypedPrice, Optional: true},
	{Name: "maxPrice", Label: "Maximum price", InputMode: "decimal", Max: web.MaxTypedPrice, Optional: true},
	{Name: "sort", Label: "Sort by", Type: "choice", Optional: true, Options: []web.Option{
		{Value: "", Label: "Best match"}, {Value: "newest", Label: "Newest first"}, {Value: "price", Label: "Price: low to high"}, {Value: "-price", Label: "Price: high to low"},
	}},
}}

func conditions() []web.Option {
	var all []web.Option
	for _, c := range book.Conditions() {
		all = append(all, web.Option{Value: c.String(), Label: c.String()})
	}
	return all
}

func filterOf(query url.Values, c money.Currency) (finding.Filter, error) {
	f := finding.Filter{
		University: strings.TrimSpace(query.Get("university")), Course: pasted.Course(query.Get("course")),
		Condition: web.TypedCondition(query.Get("condition")), Sort: finding.Sort(query.Get("sort")),
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
	a, err := web.AmountOf(c, typed)
	if err != nil {
		return nil, book.ErrInvalid.WithField(name, c.Hint())
	}
	return &a, nil
}
