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

// offerForm asks for what a seller says of a book. Its fields are those of the
// JSON API.
func offerForm() formView {
	return formView{
		Head: "Sell a book", Text: "Enter the price you want to receive; the buyer pays a fee on top. You are paid once the book has been checked and delivered.",
		Form: form{Action: "/sell", Button: "List this book", Hidden: oneTimeKey(), Fields: []field{
			{Name: "name", Label: "Title", Max: book.MaxName, Hint: "As on the cover. You can add the author."},
			{Name: "ISBN", Label: "ISBN", Max: 20, Optional: true, Mode: "numeric", Hint: "10 or 13 digits on the back cover. It helps students who need exactly this edition find your copy."},
			{Name: "course", Label: "Course", Max: book.MaxCourse, Hint: "The course code, such as MATH 165."},
			{Name: "edition", Label: "Edition", Mode: "numeric", Max: 4, Value: "1"},
			{Name: "condition", Label: "Condition", Type: "choice", Options: graded()},
			{Name: "price", Label: "Price in dollars", Mode: "decimal", Max: 9},
			{Name: "date", Label: "Available from", Type: "date"},
			{Name: "Comments", Label: "Comments", Type: "lines", Max: book.MaxComments, Optional: true},
		}},
	}
}

// graded are the conditions, each with what it means.
func graded() []option {
	all := []option{{Value: "", Label: "Choose one"}}
	for _, c := range book.Conditions() {
		all = append(all, option{c.String(), c.String(), c.Meaning()})
	}
	return all
}

// askOffer serves GET /sell, and with ?id= the same form to revise a book.
func (p *Pages) askOffer(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if id := r.URL.Query().Get("id"); id != "" {
		return p.askRevision(w, r, by, idOf[book.ID](id))
	}
	v := offerForm()
	v.First = &isbnForm
	v.Form = v.Form.filled(url.Values{"date": {p.Market.Clock.Now().Format(time.DateOnly)}})
	typed := strings.TrimSpace(r.URL.Query().Get("isbn"))
	if typed == "" {
		p.ask(w, r, v)
		return nil
	}
	return p.fillIn(w, r, v, typed)
}

// isbnForm fills the form in from a book that somebody else offers.
var isbnForm = form{Action: "/sell", Button: "Fill in the details", Asks: true, Fields: []field{
	{Name: "isbn", Label: "Start with the ISBN", Max: 20, Mode: "numeric", Optional: true, Hint: "If another student has listed the same book, we fill in most of the form below."},
}}

// fillIn shows the form with what the newest book of an ISBN says of it.
func (p *Pages) fillIn(w http.ResponseWriter, r *http.Request, v formView, typed string) error {
	lang, first := langOf(r), isbnForm.filled(url.Values{"isbn": {typed}})
	v.First = &first
	isbn, ok := book.ParseISBN(typed)
	if !ok {
		first.Fields[0].Trouble = say(lang, "Must be 10 or 13 digits with a right check digit.")
		p.show(w, r, http.StatusBadRequest, "form", frame{lang, say(lang, v.Head), v})
		return nil
	}
	same, _, err := p.Market.Catalogue.Search(r.Context(), user.Caller{}, string(isbn), market.Filter{}, market.Page{Limit: 1})
	if err != nil {
		return err
	}
	known := url.Values{"ISBN": {string(isbn)}}
	for _, b := range same {
		known.Set("name", b.Name)
		known.Set("course", b.Course)
		known.Set("edition", strconv.Itoa(b.Edition))
	}
	v.Form = v.Form.filled(known)
	p.ask(w, r, v)
	return nil
}

func (p *Pages) askRevision(w http.ResponseWriter, r *http.Request, by user.Caller, id book.ID) error {
	b, err := p.Market.Catalogue.Get(r.Context(), by, id)
	if err != nil {
		return err
	}
	if b.Seller != by.ID {
		return book.ErrNotYours
	}
	v := revisionForm(id)
	v.Form = v.Form.filled(url.Values{
		"name": {b.Name}, "course": {b.Course}, "ISBN": {string(b.ISBN)}, "edition": {strconv.Itoa(b.Edition)}, "price": {b.Price.String()},
		"condition": {b.Condition.String()}, "date": {b.Date.Format(time.DateOnly)}, "Comments": {b.Comments},
	})
	p.ask(w, r, v)
	return nil
}

func revisionForm(id book.ID) formView {
	v := offerForm()
	v.Head, v.Text, v.Form.Button = "Edit your listing", "", "Save"
	v.Form.Hidden = []hidden{{"id", id.String()}}
	return v
}

// offer serves POST /sell: a new book, or with an id the revision of one.
func (p *Pages) offer(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if id := r.PostForm.Get("id"); id != "" {
		return p.revise(w, r, by, idOf[book.ID](id))
	}
	draft, misread := draftOf(r.PostForm)
	if _, _, err := p.Market.Listings.PostWithKey(r.Context(), by, onceOf(r), draft); err != nil {
		return p.again(w, r, offerForm(), misread.among(err))
	}
	return p.onward(w, r, "/mine", "posted")
}

func (p *Pages) revise(w http.ResponseWriter, r *http.Request, by user.Caller, id book.ID) error {
	d, misread := draftOf(r.PostForm)
	_, err := p.Market.Listings.Update(r.Context(), by, id, book.Patch{
		Name: &d.Name, Course: &d.Course, Edition: &d.Edition, Price: &d.Price, Condition: &d.Condition,
		Date: &d.Date, Comments: &d.Comments, ISBN: &d.ISBN,
	})
	if err != nil {
		return p.again(w, r, revisionForm(id), misread.among(err))
	}
	return p.onward(w, r, "/mine", "changed")
}

// misread says why texts are no numbers or dates. Their values break the rules,
// so that the rest of the form is checked together with them.
type misread map[string]string

// among adds what was misread to a refusal of the same input.
func (m misread) among(err error) error {
	f := fault.As(err)
	if f == nil || f.Kind != fault.Invalid {
		return err
	}
	for name, why := range m {
		f = f.WithField(name, why)
	}
	return f
}

const noNumber = "Must be a whole number."

func draftOf(typed url.Values) (book.Draft, misread) {
	wrong := misread{}
	d := book.Draft{
		Name: strings.TrimSpace(typed.Get("name")), Course: strings.TrimSpace(typed.Get("course")), ISBN: strings.TrimSpace(typed.Get("ISBN")),
		Condition: typed.Get("condition"), Comments: typed.Get("Comments"),
		Edition: wrong.number(typed, "edition"), Price: wrong.money(typed, "price"),
	}
	d.Date, _ = time.Parse(time.DateOnly, typed.Get("date"))
	return d, wrong
}

func (m misread) number(typed url.Values, name string) int {
	n, err := strconv.Atoi(strings.TrimSpace(typed.Get(name)))
	if err != nil {
		m[name] = noNumber
	}
	return n
}

func (m misread) money(typed url.Values, name string) money.Cents {
	cents, err := moneyOf(typed.Get(name))
	if err != nil {
		m[name] = moneyHint
	}
	return cents
}
