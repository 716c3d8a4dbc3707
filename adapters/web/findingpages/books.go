package findingpages

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// bookPages shows a book, and all copies of a title.
func (p *Pages) bookPages() web.Feature {
	return web.Feature{Crawled: []string{"/book?id=", "/title"}, Routes: []*web.Route{
		web.Get("/book", p.ForAnybody(p.showBook)).With("id={book}"), web.Get("/title", p.ForAnybody(p.showTitle)).With("isbn={isbn}"),
	}}
}

type bookView struct {
	Book                *web.BookFacts
	Known, Own, Buyable bool           // the viewer is signed in, is the seller, can buy it
	Editable            bool           // the viewer can add photos
	Fee, Total          money.Amount   // the fee is added to the price
	SoldBy              *buying.Record // nil after the account was deleted
	Others              []*web.BookFacts
	Here, Request       string
	Agreed              string // what the viewer pays by an accepted offer; "": its price
	Social              social
	Hint                *web.PriceHintView // nil: none
}

// social is the preview that other sites show for a link to a page. Its URL is absolute.
type social struct{ Title, Description, URL string }

func (p *Pages) socialOf(title, description, path string) social {
	return social{title, description, p.BaseURL + path}
}

// showBook serves GET /book?id=.
func (p *Pages) showBook(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	b, err := p.Market.Catalogue.Get(r.Context(), by, web.IDOf[book.ID](r.URL.Query().Get("id")))
	if errors.Is(err, book.ErrNotFound) {
		p.renderGone(w, r)
		return nil
	}
	if err != nil {
		return err
	}
	lang, own, fee := web.LangOf(r), by.SignedIn() && b.Seller == by.ID, p.Market.Checkout.Fee(b.Price)
	v := bookView{
		Book: web.FactsOf(p.FormatIn(lang), b), Known: by.SignedIn(), Own: own, Buyable: !own && b.Status == book.ForSale, Fee: fee, Total: b.Price + fee,
		Editable: own && (b.Status == book.ForSale || b.Status == book.Unlisted),
		Here:     r.URL.RequestURI(), Request: requestFor(b.Book), Hint: p.HintFor(r, b.Details),
	}
	if v.Agreed, err = p.agreedPrice(r, by, v.Buyable, b); err != nil {
		return err
	}
	v.Social = p.socialOf(b.Name, v.Book.Price+" · "+v.Book.Condition+" · "+b.Course+" · "+b.University, "/book?id="+v.Book.ID)
	switch seller, err := p.Market.Trust.OfSeller(r.Context(), b.Seller); {
	case err == nil:
		v.SoldBy = &seller
	case !errors.Is(err, user.ErrNotFound):
		return err
	}
	others, err := p.Market.Discovery.ListOthers(r.Context(), by, b.Book)
	if err != nil {
		return err
	}
	for _, other := range others {
		v.Others = append(v.Others, web.FactsOf(p.FormatIn(lang), other))
	}
	if v.Known && v.Buyable {
		p.remember(w, r, v.Book.ID)
	}
	p.Share(w, "/book?id="+b.ID.String(), market.BookPageKeys(b.Book))
	p.Render(w, r, http.StatusOK, "book", web.PageData{Lang: lang, Title: b.Name, Page: v})
	return nil
}

// renderGone renders the same page for a book that does not exist and one that the viewer may
// not see.
func (p *Pages) renderGone(w http.ResponseWriter, r *http.Request) {
	lang := web.LangOf(r)
	view := web.MessageView{
		Head: web.Translate(lang, "This book is gone"), Text: web.Translate(lang, "It was sold, or its seller has taken it off sale."),
		Back: web.Translate(lang, "Request a copy, and we’ll tell you when one is listed."), To: "/wanted", Alert: true,
	}
	p.Render(w, r, http.StatusNotFound, "message", web.PageData{Lang: lang, Title: view.Head, Page: view})
}

// requestFor is the form that requests another copy of a book.
func requestFor(b book.Book) string {
	wanted := url.Values{"name": {b.Name}, "course": {b.Course}}
	if b.ISBN != "" {
		wanted.Set("ISBN", string(b.ISBN))
	}
	if b.Authors != "" {
		wanted.Set("authors", b.Authors)
	}
	return "/wanted?" + wanted.Encode()
}

// agreedPrice is what the viewer of a book for sale pays for it by an accepted offer; "" without one.
func (p *Pages) agreedPrice(r *http.Request, by user.Caller, buyable bool, b market.BookView) (string, error) {
	if !buyable || !by.Student {
		return "", nil
	}
	price, err := p.Market.Offers.PriceOf(r.Context(), by, b.Book)
	if err != nil || price == b.Price {
		return "", err
	}
	return p.FormatIn(web.LangOf(r)).Money(price), nil
}
