package findingpages

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// usedBookPages offers the books of courses that are over.
func (p *Pages) usedBookPages() web.Feature {
	return web.Feature{
		Routes:  []*web.Route{web.Get(usedPath, p.ForStudents(p.usedBooks)), web.Post(usedPath, p.ForStudents(p.sellUsedBooks))},
		Flashes: map[string]string{"used_listed": "Your books are listed. Students who requested them are being notified."},
	}
}

// usedPath is the path of the page on which students sell the books of past courses.
const usedPath = coursesPath + "/sell"

// maxUsedRows is how many books the page shows. The others follow when these are listed.
const maxUsedRows = 30

type usedView struct {
	Error string
	Rows  []usedRow
	Key   []web.Hidden
	Trade web.Form // what the seller's profile is without
}

// usedRow is a book with the fields of its offer, whose names end in Ref. A book whose price and
// condition are empty is not offered.
type usedRow struct {
	finding.UsedBook
	Ref    string
	Hint   *web.PriceHintView // nil: there are too few sales
	Fields []web.Field
}

// usedFields are the fields of an offer.
var usedFields = []web.Field{
	{Name: "condition", Label: "Condition", Type: "choice", Optional: true, Quiet: true},
	{Name: "price", Label: "Price", InputMode: "decimal", Max: web.MaxTypedPrice, Optional: true, Quiet: true},
	{Name: "edition", Label: "Edition", InputMode: "numeric", Max: web.MaxTypedEdition, Optional: true, Quiet: true},
}

// usedRef names a used book in a form: it stays when others are listed.
func usedRef(b finding.UsedBook) string {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s|%s|%s", b.ISBN, text.Key(b.Code), book.TitleKey(b.Name))
	return strconv.FormatUint(h.Sum64(), 36)
}

// usedBooks serves GET /courses/sell.
func (p *Pages) usedBooks(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	used, err := p.Market.Courses.Used(r.Context(), by)
	if err != nil {
		return err
	}
	p.renderUsedBooks(w, r, used, nil)
	return nil
}

// renderUsedBooks renders the page, with the submitted values and a refusal if there is one. Its
// fields are those of the rows, such as price-1a2b.
func (p *Pages) renderUsedBooks(w http.ResponseWriter, r *http.Request, used []finding.UsedBook, refusal error) {
	lang, status, v := web.LangOf(r), http.StatusOK, usedView{Key: web.NewFormKey()}
	var typed url.Values
	if refusal != nil {
		typed, status, v.Error = r.PostForm, httpx.Status(refusal), web.ErrorMessage(lang, refusal)
		httpx.SetRetryAfter(w.Header(), refusal)
	}
	for _, b := range used[:min(len(used), maxUsedRows)] {
		row := usedRow{UsedBook: b, Ref: usedRef(b)}
		row.Hint = p.HintFor(r, book.Details{Name: b.Name, Course: b.Code, ISBN: b.ISBN})
		row.Fields = p.usedFieldsOf(b, row.Ref, typed)
		if refusal != nil {
			row.Fields = web.Form{Fields: row.Fields}.WithErrors(lang, refusal).Fields
		}
		v.Rows = append(v.Rows, row)
	}
	v.Trade.Fields = p.MissingTradeFields(r, web.ViewerOf(r).By, typed)
	if refusal != nil {
		v.Trade = v.Trade.WithErrors(lang, refusal)
	}
	p.Render(w, r, status, "usedbooks", web.PageData{Lang: lang, Title: web.Translate(lang, "Sell what you used"), Page: v})
}

func (p *Pages) usedFieldsOf(b finding.UsedBook, ref string, typed url.Values) []web.Field {
	values := url.Values{}
	if b.Edition != 0 {
		values.Set("edition-"+ref, strconv.Itoa(b.Edition))
	}
	if typed != nil {
		values = typed
	}
	fields := make([]web.Field, len(usedFields))
	for i, f := range usedFields {
		if f.Name == "condition" {
			f.Options = append([]web.Option{{Value: "", Label: "Not for sale"}}, web.ConditionOptions()[1:]...)
		}
		f.Name += "-" + ref
		fields[i] = f
	}
	return web.Form{Fields: fields}.WithValues(values).Fields
}

// sellUsedBooks serves POST /courses/sell: it lists the books that have a price or a condition. A
// book that was listed meanwhile is left out, so that the same form lists it once.
func (p *Pages) sellUsedBooks(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	used, err := p.Market.Courses.Used(r.Context(), by)
	if err != nil {
		return err
	}
	offers := p.offersOf(used, r.PostForm)
	if len(offers.drafts) == 0 {
		p.renderUsedBooks(w, r, used, errNothingOffered)
		return nil
	}
	if err := p.SaveTradeFields(r, by); err != nil {
		p.renderUsedBooks(w, r, used, err)
		return nil
	}
	_, _, err = p.Market.Listings.PostAll(r.Context(), by, web.IdempotencyKeyOf(r), offers.drafts)
	if err != nil && web.CanRetry(err) {
		p.LogFailure(r, "form "+r.URL.Path, err)
		p.renderUsedBooks(w, r, used, offers.refusal(err))
		return nil
	}
	return p.Done(w, r, err, "/mine", "used_listed")
}

// errNothingOffered refuses a form without an offer.
var errNothingOffered = fault.New(fault.Invalid, "nothing_offered", "Choose a condition and a price for at least one book.")

// usedOffers are the offers of a form, with the names and errors of their fields.
type usedOffers struct {
	drafts []book.Draft
	refs   []string
	wrong  []web.ParseErrors
}

func (p *Pages) offersOf(used []finding.UsedBook, typed url.Values) (o usedOffers) {
	today := p.FormatIn(user.EN).In(p.Market.Clock.Now()).Format(time.DateOnly)
	for _, b := range used {
		ref := usedRef(b)
		one := url.Values{"name": {b.Name}, "course": {b.Code}, "ISBN": {string(b.ISBN)}, "date": {today}}
		for _, f := range usedFields {
			one.Set(f.Name, strings.TrimSpace(typed.Get(f.Name+"-"+ref)))
		}
		if one.Get("price") == "" && one.Get("condition") == "" || len(o.drafts) == selling.MaxPosts {
			continue
		}
		draft, wrong := web.DraftOf(one, p.Currency)
		o.drafts, o.refs, o.wrong = append(o.drafts, draft), append(o.refs, ref), append(o.wrong, wrong)
	}
	return o
}

// refusal is a refusal of the offers with the names of the fields on the page.
func (o usedOffers) refusal(err error) error {
	f := fault.As(err)
	if f == nil {
		return err
	}
	out := *f
	renamed := &out
	if f.Code == book.ErrInvalid.Code {
		out.Fields = nil
	}
	for i, ref := range o.refs {
		prefix := "books[" + strconv.Itoa(i) + "]."
		for name, why := range f.Fields {
			if field, ok := strings.CutPrefix(name, prefix); ok {
				if parsed := o.wrong[i][field]; parsed != "" {
					why = parsed
				}
				renamed = renamed.WithField(field+"-"+ref, why)
			}
		}
	}
	return renamed
}
