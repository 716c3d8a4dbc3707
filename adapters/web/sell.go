package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// listingForm is the form of a book. Its field names are those of the JSON API.
func listingForm() formView {
	return formView{
		Head: "Sell a book", Text: "Enter the price you want to receive; the buyer pays a fee on top. You are paid once the book has been checked and delivered.",
		Form: form{Action: "/sell", Button: "List this book", Hidden: newFormKey(), Fields: []field{
			{Name: "name", Label: "Title", Max: book.MaxName, Hint: "As on the cover. You can add the author."},
			{Name: "ISBN", Label: "ISBN", Max: 20, Optional: true, InputMode: "numeric", Hint: "10 or 13 digits on the back cover. It helps students who need exactly this edition find your copy."},
			{Name: "course", Label: "Course", Max: book.MaxCourse, Hint: "The course code, such as MATH 165."},
			{Name: "edition", Label: "Edition", InputMode: "numeric", Max: 4, Value: "1"},
			{Name: "condition", Label: "Condition", Type: "choice", Options: conditionOptions()},
			{Name: "price", Label: "Price", InputMode: "decimal", Max: 9},
			{Name: "date", Label: "Available from", Type: "date"},
			{Name: "Comments", Label: "Comments", Type: "lines", Max: book.MaxComments, Optional: true},
		}},
	}
}

// conditionOptions are the conditions with their definitions.
func conditionOptions() []option {
	all := []option{{Value: "", Label: "Choose one"}}
	for _, c := range book.Conditions() {
		all = append(all, option{c.String(), c.String(), c.Meaning()})
	}
	return all
}

// showSell serves GET /sell, and with ?id= the form for editing a book.
func (p *Pages) showSell(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if id := r.URL.Query().Get("id"); id != "" {
		return p.showEdit(w, r, by, idOf[book.ID](id))
	}
	v := listingForm()
	v.First = &isbnForm
	v.Form = v.Form.withValues(url.Values{"date": {p.formatIn(user.EN).In(p.Market.Clock.Now()).Format(time.DateOnly)}})
	typed := strings.TrimSpace(r.URL.Query().Get("isbn"))
	if typed == "" {
		p.renderForm(w, r, v)
		return nil
	}
	return p.prefill(w, r, v, typed)
}

// isbnForm prefills the form from a book that somebody else has listed.
var isbnForm = form{Action: "/sell", Button: "Fill in the details", UseGet: true, Fields: []field{
	{Name: "isbn", Label: "Start with the ISBN", Max: 20, InputMode: "numeric", Optional: true, Hint: "If another student has listed the same book, we fill in most of the form below."},
}}

// prefill renders the form with the data of the newest book with this ISBN.
func (p *Pages) prefill(w http.ResponseWriter, r *http.Request, v formView, typed string) error {
	lang, first := langOf(r), isbnForm.withValues(url.Values{"isbn": {typed}})
	v.First = &first
	isbn, ok := book.ParseISBN(typed)
	if !ok {
		first.Fields[0].Error = translate(lang, "Must be 10 or 13 digits with a correct check digit.")
		p.render(w, r, http.StatusBadRequest, "form", pageData{lang, translate(lang, v.Head), v})
		return nil
	}
	same, _, err := p.Market.Catalogue.Search(r.Context(), user.Caller{}, string(isbn), market.Filter{}, market.Page{Limit: 1})
	if err != nil {
		return err
	}
	values := url.Values{"ISBN": {string(isbn)}}
	for _, b := range same {
		values.Set("name", b.Name)
		values.Set("course", b.Course)
		values.Set("edition", strconv.Itoa(b.Edition))
	}
	v.Form = v.Form.withValues(values)
	p.renderForm(w, r, v)
	return nil
}

func (p *Pages) showEdit(w http.ResponseWriter, r *http.Request, by user.Caller, id book.ID) error {
	b, err := p.Market.Catalogue.Get(r.Context(), by, id)
	if err != nil {
		return err
	}
	if b.Seller != by.ID {
		return book.ErrNotYours
	}
	v := editForm(id)
	v.Form = v.Form.withValues(url.Values{
		"name": {b.Name}, "course": {b.Course}, "ISBN": {string(b.ISBN)}, "edition": {strconv.Itoa(b.Edition)}, "price": {p.Currency.Format(b.Price)},
		"condition": {b.Condition.String()}, "date": {b.Date.Format(time.DateOnly)}, "Comments": {b.Comments},
	})
	p.renderForm(w, r, v)
	return nil
}

func editForm(id book.ID) formView {
	v := listingForm()
	v.Head, v.Text, v.Form.Button = "Edit your listing", "", "Save"
	v.Form.Hidden = []hidden{{"id", id.String()}}
	return v
}

// sell serves POST /sell: it lists a new book or, with an id, updates one.
func (p *Pages) sell(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if id := r.PostForm.Get("id"); id != "" {
		return p.edit(w, r, by, idOf[book.ID](id))
	}
	draft, invalid := draftOf(r.PostForm, p.Currency)
	if _, _, err := p.Market.Listings.PostWithKey(r.Context(), by, idempotencyKeyOf(r), draft); err != nil {
		return p.retryForm(w, r, listingForm(), invalid.addTo(err))
	}
	return p.redirect(w, r, "/mine", "posted")
}

func (p *Pages) edit(w http.ResponseWriter, r *http.Request, by user.Caller, id book.ID) error {
	d, invalid := draftOf(r.PostForm, p.Currency)
	_, err := p.Market.Listings.Update(r.Context(), by, id, book.Patch{
		Name: &d.Name, Course: &d.Course, Edition: &d.Edition, Price: &d.Price, Condition: &d.Condition,
		Date: &d.Date, Comments: &d.Comments, ISBN: &d.ISBN,
	})
	if err != nil {
		return p.retryForm(w, r, editForm(id), invalid.addTo(err))
	}
	return p.redirect(w, r, "/mine", "changed")
}

// parseErrors maps fields to the reasons why their text is not a number. Their zero
// values break the rules of the use case, so that it checks the other fields
// together with them.
type parseErrors map[string]string

// addTo adds the parse errors to the use case's error about the same input.
func (e parseErrors) addTo(err error) error {
	f := fault.As(err)
	if f == nil || f.Kind != fault.Invalid {
		return err
	}
	for name, why := range e {
		f = f.WithField(name, why)
	}
	return f
}

const notANumber = "Must be a whole number."

func draftOf(typed url.Values, c money.Currency) (book.Draft, parseErrors) {
	invalid := parseErrors{}
	d := book.Draft{
		Name: strings.TrimSpace(typed.Get("name")), Course: strings.TrimSpace(typed.Get("course")), ISBN: strings.TrimSpace(typed.Get("ISBN")),
		Condition: typed.Get("condition"), Comments: typed.Get("Comments"),
		Edition: invalid.number(typed, "edition"), Price: invalid.money(typed, "price", c),
	}
	d.Date, _ = time.Parse(time.DateOnly, typed.Get("date"))
	return d, invalid
}

func (e parseErrors) number(typed url.Values, name string) int {
	n, err := strconv.Atoi(strings.TrimSpace(typed.Get(name)))
	if err != nil {
		e[name] = notANumber
	}
	return n
}

func (e parseErrors) money(typed url.Values, name string, c money.Currency) money.Amount {
	a, err := amountOf(c, typed.Get(name))
	if err != nil {
		e[name] = c.Hint()
	}
	return a
}
