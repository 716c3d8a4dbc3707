package findingpages

import (
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// listView is a list of books for sale with a filter.
type listView struct {
	Student  bool
	Self     user.ID
	Query    string
	Filter   web.Form
	Campus   campusSwitch
	Chips    []chip
	ClearAll string // the path of the list without filters
	Count    market.Count
	// Instead is what was searched, because nothing has the words; or empty. InsteadPath is the path of its search.
	Instead, InsteadPath string
	Titles               []titleEntry
	// Request is the path of the form that requests what the list does not have.
	Request    string
	Here, More string // the paths of this page and of the next one
	// Elsewhere are books of other campuses, if the viewer's own has few; or nil.
	Elsewhere *listView

	values url.Values // of the filter
}

// campusSwitch switches between the books of the viewer's university and those of all. Its paths
// are empty for viewers without a university.
type campusSwitch struct {
	Own, OwnPath, AllPath string
	ShowsOwn, ShowsAll    bool
}

// chip is a value of the filter, and the path of the list without it. The label is a format for
// the value, which the template translates. Without a label it translates the value itself, if
// that is Translated.
type chip struct {
	Label, Value string
	Translated   bool
	Path         string
}

// titleEntry is a title on a list with the path of its page: the copy that comes first, or several.
type titleEntry struct {
	Path           string
	Book           *web.BookFacts
	Own            bool   // the viewer sells it
	Lowest, Copies string // "from $24.00", "3 copies"; empty for one copy
}

// listViewOf reads the filter of a list. Viewers with a university see its books until they choose
// another one or, with an empty field, all.
func (p *Pages) listViewOf(r *http.Request, f web.Form) listView {
	by, values := web.ViewerOf(r).By, maps.Clone(r.URL.Query())
	values.Del("cursor")
	v := listView{Student: by.Student, Self: by.ID, Query: strings.TrimSpace(text.StripHidden(values.Get("q"))), Here: r.URL.RequestURI()}
	own, err := p.Discovery.OwnUniversity(r.Context(), by)
	if err != nil { // show the books of all universities
		p.LogFailure(r, "find the viewer's university", err)
	}
	if text.Key(own) == "" { // no filter can have it
		own = ""
	}
	if own != "" && !values.Has("university") {
		values.Set("university", own)
	}
	if typed := values.Get("condition"); typed != "" {
		values.Set("condition", web.TypedCondition(typed))
	}
	v.values, v.Filter = values, f.WithValues(values)
	chosen := strings.TrimSpace(values.Get("university"))
	if own != "" {
		v.Campus = campusSwitch{Own: own, ShowsOwn: text.Key(chosen) == text.Key(own), ShowsAll: chosen == ""}
		v.Campus.OwnPath, v.Campus.AllPath = v.pathWith(r, values, "university", own), v.pathWith(r, values, "university", "")
	}
	v.addChips(r, p.Currency, p.FormatIn(web.LangOf(r)))
	v.Request = requestPath(v.Query, values)
	return v
}

// chipLabels are the filters with a chip, in their order.
var chipLabels = []web.Field{{Name: "university"}, {Name: "course"}, {Name: "condition"}, {Name: "minPrice", Label: "from %s"}, {Name: "maxPrice", Label: "up to %s"}}

func (v *listView) addChips(r *http.Request, c money.Currency, written locale.Format) {
	bare := maps.Clone(v.values)
	for _, f := range chipLabels {
		value := strings.TrimSpace(v.values.Get(f.Name))
		bare.Del(f.Name)
		if value == "" || f.Name == "university" && v.Campus.ShowsOwn {
			continue
		}
		path := v.pathWith(r, v.values, f.Name, "")
		if amount, err := web.AmountOf(c, value); err == nil && f.Label != "" {
			value = written.Money(amount)
		}
		v.Chips = append(v.Chips, chip{f.Label, value, f.Name == "condition", path})
	}
	if v.Campus.Own != "" {
		bare.Set("university", "")
	}
	v.ClearAll = v.pathWith(r, bare)
}

// pathWith returns the path of this page with other values. An empty value is removed, except the
// empty university of those who have one: it means all.
func (v *listView) pathWith(r *http.Request, values url.Values, changes ...string) string {
	values = maps.Clone(values)
	for i := 0; i+1 < len(changes); i += 2 {
		values.Set(changes[i], changes[i+1])
	}
	for name := range values {
		if values.Get(name) == "" && (name != "university" || v.Campus.Own == "") {
			values.Del(name)
		}
	}
	if len(values) == 0 {
		return r.URL.Path
	}
	return r.URL.Path + "?" + values.Encode()
}

// requestPath returns the path of the form for a request, filled in with the search.
func requestPath(query string, values url.Values) string {
	wanted := url.Values{}
	isbn, name := book.FindISBN(query)
	if isbn != "" {
		wanted.Set("ISBN", string(isbn))
	}
	if name != "" {
		wanted.Set("name", name)
	}
	for _, name := range []string{"course", "maxPrice"} {
		if value := values.Get(name); value != "" {
			wanted.Set(name, value)
		}
	}
	if len(wanted) == 0 {
		return "/wanted"
	}
	return "/wanted?" + wanted.Encode()
}

// eagerPictures is how many books of a list are on the first screen of a phone.
const eagerPictures = 4

// fill adds a page of titles. A title with several copies leads to its own page with the same filter.
func (p *Pages) fill(v *listView, r *http.Request, page finding.TitlePage) {
	filter := maps.Clone(v.values)
	filter.Del("q")
	filter.Del("sort")
	v.Count, v.More = page.Count, web.NextLink(r, page.Next)
	if v.Instead = page.Instead; v.Instead != "" {
		v.InsteadPath = v.pathWith(r, v.values, "q", v.Instead)
	}
	written := p.FormatIn(web.LangOf(r))
	v.Titles = make([]titleEntry, 0, len(page.Titles))
	for i, t := range page.Titles {
		e := titleEntry{Book: web.FactsOf(written, t.BookView), Own: v.Self != 0 && t.Seller == v.Self}
		e.Book.Eager = i < eagerPictures
		if v.Campus.ShowsOwn {
			e.Book.Where = ""
		}
		e.Path = "/book?id=" + e.Book.ID
		if t.All.Copies.N > 1 {
			filter.Set("isbn", string(t.ISBN))
			e.Path = "/title?" + filter.Encode()
			e.Lowest, e.Copies = web.Translate(written.Lang, "from %s", written.Money(t.All.Lowest)), web.CopiesIn(written.Lang, t.All.Copies)
		}
		v.Titles = append(v.Titles, e)
	}
}

// A search that finds at most fewTitles on the viewer's campus also shows up to elsewhereTitles of
// others.
const fewTitles, elsewhereTitles = 3, 12

// lookElsewhere adds what other campuses have, if the list is of the viewer's and ends with few
// titles. find lists the titles of a filter.
func (p *Pages) lookElsewhere(r *http.Request, v *listView, filter finding.Filter, find func(finding.Filter, market.Page) (finding.TitlePage, error)) {
	if !v.Campus.ShowsOwn || len(v.Titles) > fewTitles || v.More != "" || web.PageOf(r).Cursor != "" {
		return
	}
	filter.University, filter.NotUniversity = "", v.Campus.Own
	page, err := find(filter, market.Page{Limit: elsewhereTitles})
	if err != nil { // show the page without them
		p.LogFailure(r, "look on other campuses", err)
		return
	}
	if len(page.Titles) == 0 {
		return
	}
	page.Next = "" // the link to all campuses leads to the others
	other := listView{Student: v.Student, Self: v.Self, Here: v.Here, values: maps.Clone(v.values)}
	other.values.Set("university", "")
	p.fill(&other, r, page)
	v.Elsewhere = &other
}
