package findingpages

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/user"
)

// requestPages is about the books that the viewer looks for.
func (p *Pages) requestPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get("/wanted", p.ForStudents(p.requests)).InMenu(40, "Requests", "books you are looking for, and their matches"),
			web.Post("/wanted", p.ForStudents(p.addRequest)).Restores(func(url.Values) web.FormView {
				v := web.FormView{Head: "Requests", Form: requestForm}
				v.Form.Hidden = web.NewFormKey()
				return v
			}),
			web.Post("/wanted/withdraw", p.ForStudents(p.withdraw)),
		},
		Flashes: map[string]string{
			"wanted":    "Your request is saved. We’ll notify you as soon as the book is listed.",
			"withdrawn": "Your request was withdrawn.",
		},
	}
}

type requestsView struct {
	Form     web.Form
	Requests []book.Request
	More     string
	Matches  []market.MatchView
	Here     string
}

var requestForm = web.Form{Action: "/wanted", Button: "Request this book", Fields: []web.Field{
	{Name: "name", Label: "Title", Max: book.MaxName, Hint: "A book matches if its title contains every word you enter, so a few words are enough."},
	{Name: "course", Label: "Course", Max: book.MaxCourse, Hint: "The course code, such as MATH 165."},
	{Name: "ISBN", Label: "ISBN", Max: web.MaxTypedISBN, Optional: true, InputMode: "numeric"},
	{Name: "authors", Label: "Authors", Max: book.MaxAuthors, Optional: true},
	{Name: "edition", Label: "Edition", InputMode: "numeric", Max: web.MaxTypedEdition, Optional: true, Hint: "Leave empty for any edition."},
	{Name: "maxPrice", Label: "Maximum price", InputMode: "decimal", Max: web.MaxTypedPrice, Optional: true},
}}

// requests serves GET /wanted: the viewer's requests and their matches. A search
// without results links here with ?name=.
func (p *Pages) requests(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.renderRequests(w, r, by, http.StatusOK, requestForm.WithValues(r.URL.Query()).WithReadings(p.FormatIn(web.LangOf(r))))
}

func (p *Pages) renderRequests(w http.ResponseWriter, r *http.Request, by user.Caller, status int, f web.Form) error {
	requests, next, err := p.Market.Requests.ListMine(r.Context(), by, web.PageOf(r))
	if err != nil {
		return err
	}
	matches, _, err := p.Market.Requests.ListMatches(r.Context(), by, market.Page{Limit: market.MaxLimit})
	if err != nil {
		return err
	}
	f.Hidden = web.NewFormKey()
	lang := web.LangOf(r)
	p.Render(w, r, status, "requests", web.PageData{Lang: lang, Title: web.Translate(lang, "Requests"), Page: requestsView{
		Form: f, Requests: requests, More: web.NextLink(r, next), Matches: matches, Here: "/wanted",
	}})
	return nil
}

// addRequest serves POST /wanted.
func (p *Pages) addRequest(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	want, invalid := wantOf(r.PostForm, p.Currency)
	if _, _, err := p.Market.Requests.AddWithKey(r.Context(), by, web.IdempotencyKeyOf(r), want); err != nil {
		err = invalid.AddTo(err)
		if !web.CanRetry(err) {
			return err
		}
		p.LogFailure(r, "form "+r.URL.Path, err)
		return p.renderRequests(w, r, by, httpx.Status(err), requestForm.WithValues(r.PostForm).WithReadings(p.FormatIn(web.LangOf(r))).WithErrors(web.LangOf(r), err))
	}
	return p.Redirect(w, r, "/wanted", "wanted")
}

func wantOf(typed url.Values, c money.Currency) (book.RequestDraft, web.ParseErrors) {
	invalid := web.ParseErrors{}
	want := book.RequestDraft{
		Name: pasted.Line(typed.Get("name")), Course: pasted.Course(typed.Get("course")), ISBN: web.TypedISBN(typed.Get("ISBN")),
		Authors: pasted.Line(typed.Get("authors")),
	}
	if strings.TrimSpace(typed.Get("edition")) != "" {
		n := invalid.Number(typed, "edition")
		want.Edition = &n
	}
	if strings.TrimSpace(typed.Get("maxPrice")) != "" {
		n := invalid.Money(typed, "maxPrice", c)
		want.MaxPrice = &n
	}
	return want, invalid
}

// withdraw serves POST /wanted/withdraw.
func (p *Pages) withdraw(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Market.Requests.Delete(r.Context(), by, web.IDOf[book.RequestID](r.PostForm.Get("id")))
	return p.Done(w, r, err, "/wanted", "withdrawn")
}
