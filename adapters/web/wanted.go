package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

type wantedView struct {
	Form     form
	Requests []book.Request
	More     string
	Matches  []market.MatchView
	Here     string
}

var wantForm = form{Action: "/wanted", Button: "Request this book", Fields: []field{
	{Name: "name", Label: "Title", Max: book.MaxName, Hint: "A book matches if its title contains every word you enter, so a few words are enough."},
	{Name: "course", Label: "Course", Max: book.MaxCourse, Hint: "The course code, such as MATH 165."},
	{Name: "ISBN", Label: "ISBN", Max: 20, Optional: true, Mode: "numeric"},
	{Name: "edition", Label: "Edition", Mode: "numeric", Max: 4, Optional: true, Hint: "Leave empty for any edition."},
	{Name: "maxPrice", Label: "Maximum price in dollars", Mode: "decimal", Max: 9, Optional: true},
}}

// wanted serves GET /wanted: what one looks for, and what was found. A search that
// found nothing leads here with ?name=.
func (p *Pages) wanted(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showWanted(w, r, by, http.StatusOK, wantForm.filled(r.URL.Query()))
}

func (p *Pages) showWanted(w http.ResponseWriter, r *http.Request, by user.Caller, status int, f form) error {
	requests, next, err := p.Market.Requests.ListMine(r.Context(), by, pageOf(r))
	if err != nil {
		return err
	}
	matches, _, err := p.Market.Requests.ListMatches(r.Context(), by, market.Page{Limit: market.MaxLimit})
	if err != nil {
		return err
	}
	f.Hidden = oneTimeKey()
	lang := langOf(r)
	p.show(w, r, status, "wanted", frame{lang, say(lang, "Requests"), wantedView{
		Form: f, Requests: requests, More: further(r, next), Matches: matches, Here: "/wanted",
	}})
	return nil
}

// want serves POST /wanted.
func (p *Pages) want(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	wish, wrong := wantOf(r.PostForm)
	if _, _, err := p.Market.Requests.AddWithKey(r.Context(), by, onceOf(r), wish); err != nil {
		err = wrong.among(err)
		if fault.As(err) == nil {
			return err
		}
		return p.showWanted(w, r, by, httpx.Status(err), wantForm.filled(r.PostForm).blamed(langOf(r), err))
	}
	return p.onward(w, r, "/wanted", "wanted")
}

func wantOf(typed url.Values) (book.RequestDraft, misread) {
	wrong := misread{}
	want := book.RequestDraft{
		Name: strings.TrimSpace(typed.Get("name")), Course: strings.TrimSpace(typed.Get("course")), ISBN: strings.TrimSpace(typed.Get("ISBN")),
	}
	if strings.TrimSpace(typed.Get("edition")) != "" {
		n := wrong.number(typed, "edition")
		want.Edition = &n
	}
	if strings.TrimSpace(typed.Get("maxPrice")) != "" {
		n := wrong.money(typed, "maxPrice")
		want.MaxPrice = &n
	}
	return want, wrong
}

// withdraw serves POST /wanted/withdraw.
func (p *Pages) withdraw(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if err := p.Market.Requests.Delete(r.Context(), by, idOf[book.RequestID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.onward(w, r, "/wanted", "withdrawn")
}
