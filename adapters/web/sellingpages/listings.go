package sellingpages

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/user"
)

// listingPages lets students offer a book, and change the offer.
func (p *Pages) listingPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get("/sell", p.ForStudents(p.showSell)), web.Post("/sell", p.ForStudents(p.sell)).Restores(listingFormFor),
			web.Post("/sell/preview", p.ForStudents(p.previewListing)).Restores(listingFormFor),
		},
		Flashes: map[string]string{"posted": "Your book is listed. Students who requested it are being notified."},
	}
}

// sellView is the page on which a book is offered.
type sellView struct {
	Head, Text     string
	First          *web.Form // asks for the ISBN first; nil: does not
	Known, Unknown bool      // whether the ISBN was found
	Edition        string    // which one has the ISBN; empty: the form says as much
	Copied         bool      // filled from another copy
	Stuck          bool      // nobody says where books are handed over at the viewer's university
	Hint           *web.PriceHintView
	Preview        *listingPreview // nil: none
	Form           web.Form
}

// listingPreview is the book as it would be listed.
type listingPreview struct {
	book.Details
	Total money.Amount // with the fee
}

// listingText says what sellers get, and when.
func (p *Pages) listingText() string {
	switch {
	case !p.PaysDirectly():
		return "Enter the price you want to receive; the buyer pays a fee on top. You are paid once the book has been checked and delivered."
	case p.Handover().HasDesk():
		return "Enter the price you want to receive. The buyer pays you when you meet. If the book goes through our desk, you are paid once it has been checked and delivered."
	}
	return "Enter the price you want to receive. The buyer pays you when you meet."
}

// listingForm is the form of a book. Its field names are those of the JSON API.
func listingForm() web.FormView {
	return web.FormView{
		Head: "Sell a book",
		Form: web.Form{ID: "listing", Action: "/sell", Button: "List this book", Second: &web.Option{Value: "/sell/preview", Label: "Preview"}, Hidden: web.NewFormKey(), Fields: []web.Field{
			{Name: "name", Label: "Title", Max: book.MaxName, Hint: "As on the cover."},
			{Name: "authors", Label: "Authors", Max: book.MaxAuthors, Optional: true, Hint: "Searches find these, too."},
			{Name: "ISBN", Label: "ISBN", Max: web.MaxTypedISBN, Optional: true, InputMode: "numeric", Hint: "10 or 13 digits on the back cover. It helps students who need exactly this edition find your copy."},
			{Name: "course", Label: "Course", Max: book.MaxCourse, Hint: "The course code, such as MATH 165."},
			{Name: "edition", Label: "Edition", InputMode: "numeric", Max: web.MaxTypedEdition, Hint: "The number on the cover or the first pages; 1 if there is none."},
			{Name: "condition", Label: "Condition", Type: "grades", Options: web.ConditionOptions()[1:]},
			{Name: "price", Label: "Price", InputMode: "decimal", Max: web.MaxTypedPrice},
			{Name: "date", Label: "Available from", Type: "date"},
			{Name: "Comments", Label: "Comments", Type: "lines", Max: book.MaxComments, Optional: true},
		}},
	}
}

// newListing is the page for a new book, available from today. It asks also for what the seller's profile is without.
func (p *Pages) newListing(r *http.Request, by user.Caller) sellView {
	f, first := listingForm(), isbnForm
	f.Form.Fields = append(f.Form.Fields, p.MissingTradeFields(r, by, nil)...)
	return sellView{
		Head: f.Head, Text: p.listingText(), First: &first,
		Form: f.Form.WithValues(url.Values{"date": {p.FormatIn(user.EN).In(p.Market.Clock.Now()).Format(time.DateOnly)}}),
	}
}

// showSell serves GET /sell: the form for a new book, filled in with ?isbn= from what is known
// of an ISBN and with ?copy= from another copy, and with ?id= the form for editing a book.
func (p *Pages) showSell(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	query := r.URL.Query()
	if id := query.Get("id"); id != "" {
		return p.showEdit(w, r, by, web.IDOf[book.ID](id))
	}
	v := p.newListing(r, by)
	if id := query.Get("copy"); id != "" {
		return p.showCopy(w, r, by, v, web.IDOf[book.ID](id))
	}
	if typed := strings.TrimSpace(query.Get("isbn")); typed != "" {
		return p.prefill(w, r, by, v, typed)
	}
	p.renderSell(w, r, http.StatusOK, v)
	return nil
}

// isbnForm fills in the form for an ISBN.
var isbnForm = web.Form{Action: "/sell", Button: "Fill in the details", UseGet: true, Fields: []web.Field{
	{Name: "isbn", Label: "Start with the ISBN", Max: web.MaxTypedISBN, InputMode: "numeric", Barcode: true, Hint: "It is on the back cover. We fill in what is known of the book and tell you what it sells for."},
}}

func (p *Pages) renderSell(w http.ResponseWriter, r *http.Request, status int, v sellView) {
	lang := web.LangOf(r)
	if v.Hint != nil && v.Hint.Known() {
		v.Form = v.Form.WithHint("price", p.soldFor(lang, v.Hint.Low, v.Hint.High))
	}
	v.Stuck = p.cannotHandOver(r)
	p.Render(w, r, status, "sell", web.PageData{Lang: lang, Title: web.Translate(lang, v.Head), Page: v})
}

// soldFor says between which prices half of the copies have sold.
func (p *Pages) soldFor(lang user.Lang, low, high money.Amount) string {
	f := p.FormatIn(lang)
	return web.Translate(lang, "Copies like this sold for %s to %s.", f.Money(low), f.Money(high))
}

// cannotHandOver reports whether a sale of the viewer would end with "ask us" and nobody to ask.
func (p *Pages) cannotHandOver(r *http.Request) bool {
	if p.Support != "" {
		return false
	}
	u, err := p.Identity.Users.Me(r.Context(), web.ViewerOf(r).By)
	if err == nil && u.Profile != nil {
		possible, failed := p.Market.Tradable.At(r.Context(), u.Profile.University)
		if err = failed; err == nil {
			return !possible
		}
	}
	if err != nil {
		p.LogFailure(r, "look for a desk", err) // the book can be listed all the same
	}
	return false
}

// prefill renders the form with what is known of an ISBN and what copies of it have sold for.
func (p *Pages) prefill(w http.ResponseWriter, r *http.Request, by user.Caller, v sellView, typed string) error {
	first := isbnForm.WithValues(url.Values{"isbn": {typed}})
	v.First = &first
	isbn, ok := pasted.ISBN(typed)
	if !ok {
		first.Fields[0].Error, first.Fields[0].First = web.Translate(web.LangOf(r), book.WhyNoISBN(typed)), true
		p.renderSell(w, r, http.StatusBadRequest, v)
		return nil
	}
	values := url.Values{"ISBN": {string(isbn)}}
	s, known, err := p.Market.ISBNLookup.Find(r.Context(), by, string(isbn))
	if err != nil {
		p.LogFailure(r, "look up an ISBN", err) // the form can be filled in by hand
	}
	if v.Known, v.Unknown = known, !known && err == nil; known {
		values.Set("name", s.Name)
		values.Set("authors", s.Authors)
		values.Set("course", s.Course)
		if s.Edition != 0 {
			values.Set("edition", strconv.Itoa(s.Edition))
		}
		v.Edition = editionOf(web.LangOf(r), s)
	}
	v.Form = v.Form.WithValues(values)
	v.Hint = p.PriceHint(r, selling.PriceQuery{ISBN: string(isbn), Course: web.Foldable(s.Course), Name: web.Foldable(s.Name)}, 0)
	if v.Hint != nil {
		v.Hint.Asked = true
	}
	p.renderSell(w, r, http.StatusOK, v)
	return nil
}

// editionOf says which edition of a book has an ISBN, as in "2016 · James Stewart · edition 8", for people to compare it
// with their copy; empty if the year is unknown: the rest stands in the form.
func editionOf(lang user.Lang, s book.Suggestion) string {
	if s.Year == 0 {
		return ""
	}
	facts := []string{strconv.Itoa(s.Year)}
	if s.Authors != "" {
		facts = append(facts, s.Authors)
	}
	if s.Edition != 0 {
		facts = append(facts, web.Translate(lang, "edition %d", s.Edition))
	}
	return strings.Join(facts, " · ")
}

// showCopy renders the form for another copy of one of the viewer's books. The viewer has to
// choose its condition.
func (p *Pages) showCopy(w http.ResponseWriter, r *http.Request, by user.Caller, v sellView, id book.ID) error {
	b, err := p.ownBook(r, by, id)
	if err != nil {
		return err
	}
	v.First, v.Copied = nil, true
	v.Form = v.Form.WithValues(url.Values{
		"name": {b.Name}, "course": {b.Course}, "ISBN": {string(b.ISBN)}, "edition": {strconv.Itoa(b.Edition)}, "price": {p.Currency.Format(b.Price)},
		"authors": {b.Authors},
	})
	v.Hint = p.HintFor(r, b.Details)
	p.renderSell(w, r, http.StatusOK, v)
	return nil
}

// ownBook returns a book of the viewer.
func (p *Pages) ownBook(r *http.Request, by user.Caller, id book.ID) (market.BookView, error) {
	b, err := p.Market.Catalogue.Get(r.Context(), by, id)
	if err == nil && b.Seller != by.ID {
		err = book.ErrNotYours
	}
	return b, err
}

// previewListing serves POST /sell/preview: the book as it would be listed, above its form. It
// changes nothing.
func (p *Pages) previewListing(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	draft, invalid := web.DraftOf(r.PostForm, p.Currency)
	details, err := draft.Check(p.Currency, p.Market.Clock.Now())
	if err != nil {
		return p.retrySell(w, r, invalid.AddTo(err))
	}
	v := p.newListing(r, by)
	v.First, v.Text = nil, ""
	v.Form = v.Form.WithValues(r.PostForm).WithReadings(p.FormatIn(web.LangOf(r))).WithKey(r)
	v.Preview = &listingPreview{details, details.Price + p.Market.Checkout.Fee(details.Price)}
	v.Hint = p.HintFor(r, details)
	p.renderSell(w, r, http.StatusOK, v)
	return nil
}

// retrySell renders the form for a new book again, see RetryForm.
func (p *Pages) retrySell(w http.ResponseWriter, r *http.Request, err error) error {
	if !web.CanRetry(err) {
		return err
	}
	p.LogFailure(r, "form "+r.URL.Path, err)
	httpx.SetRetryAfter(w.Header(), err)
	v := p.newListing(r, web.ViewerOf(r).By)
	v.First = nil
	v.Form = v.Form.WithValues(r.PostForm).WithReadings(p.FormatIn(web.LangOf(r))).WithErrors(web.LangOf(r), err)
	p.renderSell(w, r, httpx.Status(err), v)
	return nil
}

func (p *Pages) showEdit(w http.ResponseWriter, r *http.Request, by user.Caller, id book.ID) error {
	b, err := p.ownBook(r, by, id)
	if err != nil {
		return err
	}
	v := editForm(id)
	v.Form = v.Form.WithValues(url.Values{
		"name": {b.Name}, "course": {b.Course}, "ISBN": {string(b.ISBN)}, "edition": {strconv.Itoa(b.Edition)}, "price": {p.Currency.Format(b.Price)},
		"condition": {b.Condition.String()}, "date": {b.Date.Format(time.DateOnly)}, "Comments": {b.Comments}, "authors": {b.Authors},
	})
	p.RenderForm(w, r, v)
	return nil
}

func editForm(id book.ID) web.FormView {
	v := listingForm()
	v.Head, v.Text, v.Form.Button = "Edit your listing", "", "Save"
	v.Form.Second = nil
	v.Form.Hidden = []web.Hidden{{Name: "id", Value: id.String()}}
	return v
}

// sell serves POST /sell: it lists a new book or, with an id, updates one.
func (p *Pages) sell(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if id := r.PostForm.Get("id"); id != "" {
		return p.edit(w, r, by, web.IDOf[book.ID](id))
	}
	draft, invalid := web.DraftOf(r.PostForm, p.Currency)
	if err := p.SaveTradeFields(r, by); err != nil {
		return p.retrySell(w, r, err)
	}
	posted, _, err := p.Market.Listings.PostWithKey(r.Context(), by, web.IdempotencyKeyOf(r), draft)
	if err != nil {
		return p.retrySell(w, r, invalid.AddTo(err))
	}
	return p.Redirect(w, r, photosPath+"?id="+posted.ID.String(), "posted")
}

func (p *Pages) edit(w http.ResponseWriter, r *http.Request, by user.Caller, id book.ID) error {
	d, invalid := web.DraftOf(r.PostForm, p.Currency)
	_, err := p.Market.Listings.Update(r.Context(), by, id, book.Patch{
		Name: &d.Name, Course: &d.Course, Edition: &d.Edition, Price: &d.Price, Condition: &d.Condition,
		Date: &d.Date, Comments: &d.Comments, ISBN: &d.ISBN, Authors: &d.Authors,
	})
	if err != nil {
		return p.RetryForm(w, r, editForm(id), invalid.AddTo(err))
	}
	return p.Redirect(w, r, "/mine", "changed")
}

// listingFormFor returns the form for a new book or, with an id, for editing one.
func listingFormFor(typed url.Values) web.FormView {
	if id := typed.Get("id"); id != "" {
		return editForm(web.IDOf[book.ID](id))
	}
	return listingForm()
}
