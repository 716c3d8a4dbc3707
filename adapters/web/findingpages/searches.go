package findingpages

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
)

// searchPages is about the searches that the viewer has saved.
func (p *Pages) searchPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(searchesPath, p.ForStudents(p.savedSearches)).InMenu(60, "Saved searches", "we tell you when a new book matches"),
			web.Post(searchesPath, p.ForStudents(p.saveSearch)), web.Post(searchesPath+"/delete", p.ForStudents(p.deleteSearch)),
			web.Post(searchesPath+"/mail", p.ForStudents(p.setSearchMail(true))), web.Post(searchesPath+"/stop", p.ForStudents(p.setSearchMail(false))),
			web.Post(searchesPath+"/request", p.ForStudents(p.requestSearch)),
		},
		Flashes: map[string]string{
			"searchsaved":   "Saved. We’ll tell you when a new book matches.",
			"searchdeleted": "The search was deleted.",
			"searchmailed":  "We’ll email you when a new book matches, at most once a day.",
			"searchstopped": "You won’t get any more emails about this search.",
		},
	}
}

// searchesPath is the path of the page of saved searches.
const searchesPath = "/searches"

type searchesView struct {
	Searches []searchEntry
	Key      []web.Hidden
	More     string
	Here     string
}

// searchEntry is a saved search with its description, and the path of the list of what it finds.
type searchEntry struct {
	savedsearch.Search
	Chips       []chip
	Label, Path string
	Requestable bool
}

// savedSearches serves GET /searches.
func (p *Pages) savedSearches(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	found, next, err := p.Market.SavedSearches.List(r.Context(), by, web.PageOf(r))
	if err != nil {
		return err
	}
	lang := web.LangOf(r)
	v := searchesView{Key: web.NewFormKey(), More: web.NextLink(r, next), Here: r.URL.RequestURI()}
	for _, s := range found {
		v.Searches = append(v.Searches, newSearchEntry(s, p.FormatIn(lang)))
	}
	return p.Show(w, r, http.StatusOK, "searches", "Saved searches", v)
}

func newSearchEntry(s savedsearch.Search, f locale.Format) searchEntry {
	_, err := s.Request()
	e := searchEntry{Search: s, Requestable: err == nil}
	query := url.Values{"university": {s.University}} // an empty one means all
	add := func(name, value string, c chip) {
		if value == "" {
			return
		}
		if query.Set(name, value); c.Value != "" {
			e.Chips = append(e.Chips, c)
		}
	}
	amount := func(a money.Amount) string {
		if a == 0 {
			return ""
		}
		return f.Currency.Format(a)
	}
	add("q", s.Query, chip{})
	add("university", s.University, chip{Value: s.University})
	add("course", s.Course, chip{Value: s.Course})
	add("condition", s.Condition.String(), chip{Value: s.Condition.String(), Translated: true})
	add("minPrice", amount(s.MinPrice), chip{Label: "from %s", Value: f.Money(s.MinPrice)})
	add("maxPrice", amount(s.MaxPrice), chip{Label: "up to %s", Value: f.Money(s.MaxPrice)})
	e.Path = "/?" + query.Encode()
	if e.Label = s.Query; e.Label == "" {
		e.Label = strings.TrimSpace(s.University + " " + s.Course)
	}
	return e
}

// searchToSave are the fields of the form that saves the search of a list; none if everybody
// finds everything with it, or for viewers who cannot save one.
func (v *listView) searchToSave() []web.Hidden {
	if !v.Student || v.Query == "" && len(v.Chips) == 0 {
		return nil
	}
	fields := append(web.NewFormKey(), web.Hidden{Name: "q", Value: v.Query})
	for _, f := range chipLabels {
		if value := strings.TrimSpace(v.values.Get(f.Name)); value != "" {
			fields = append(fields, web.Hidden{Name: f.Name, Value: value})
		}
	}
	return fields
}

// saveSearch serves POST /searches.
func (p *Pages) saveSearch(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	f, err := filterOf(r.PostForm, p.Currency)
	if err != nil {
		return err
	}
	draft := savedsearch.Draft{
		Query: r.PostForm.Get("q"), University: f.University, Course: f.Course, Condition: f.Condition, MinPrice: f.MinPrice, MaxPrice: f.MaxPrice,
	}
	_, _, err = p.Market.SavedSearches.SaveWithKey(r.Context(), by, web.IdempotencyKeyOf(r), draft, true)
	return p.Done(w, r, err, searchesPath, "searchsaved")
}

// deleteSearch serves POST /searches/delete.
func (p *Pages) deleteSearch(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Market.SavedSearches.Delete(r.Context(), by, web.IDOf[savedsearch.ID](r.PostForm.Get("id")))
	return p.Done(w, r, err, searchesPath, "searchdeleted")
}

// setSearchMail serves POST /searches/mail and /searches/stop.
func (p *Pages) setSearchMail(on bool) func(http.ResponseWriter, *http.Request, user.Caller) error {
	return func(w http.ResponseWriter, r *http.Request, by user.Caller) error {
		if err := p.Market.SavedSearches.SetMail(r.Context(), by, web.IDOf[savedsearch.ID](r.PostForm.Get("id")), on); err != nil {
			return err
		}
		flash := "searchstopped"
		if on {
			flash = "searchmailed"
		}
		return p.Redirect(w, r, searchesPath, flash)
	}
}

// requestSearch serves POST /searches/request: it requests what a search looks for.
func (p *Pages) requestSearch(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, _, err := p.Market.SavedSearches.Request(r.Context(), by, web.IdempotencyKeyOf(r), web.IDOf[savedsearch.ID](r.PostForm.Get("id")))
	return p.Done(w, r, err, "/wanted", "wanted")
}
