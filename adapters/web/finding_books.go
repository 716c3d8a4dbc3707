package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

type bookView struct {
	Book                *bookFacts
	Known, Own, Buyable bool           // the viewer is signed in, is the seller, can buy it
	Editable            bool           // the viewer can add photos
	Fee, Total          money.Amount   // the fee is added to the price
	SoldBy              *buying.Record // nil after the account was deleted
	Others              []*bookFacts
	Here, Request       string
	Social              social
	Hint                *priceHintView // nil: none
}

// social is the preview that other sites show for a link to a page. Its URL is absolute.
type social struct{ Title, Description, URL string }

func (p *Pages) socialOf(title, description, path string) social {
	return social{title, description, p.BaseURL + path}
}

// showBook serves GET /book?id=.
func (p *Pages) showBook(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	b, err := p.Market.Catalogue.Get(r.Context(), by, idOf[book.ID](r.URL.Query().Get("id")))
	if errors.Is(err, book.ErrNotFound) {
		p.renderGone(w, r)
		return nil
	}
	if err != nil {
		return err
	}
	lang, own, fee := langOf(r), by.SignedIn() && b.Seller == by.ID, p.Market.Checkout.Fee(b.Price)
	v := bookView{
		Book: factsOf(p.formatIn(lang), b), Known: by.SignedIn(), Own: own, Buyable: !own && b.Status == book.ForSale, Fee: fee, Total: b.Price + fee,
		Editable: own && (b.Status == book.ForSale || b.Status == book.Unlisted),
		Here:     r.URL.RequestURI(), Request: requestFor(b.Book), Hint: p.hintFor(r, b.Details),
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
		v.Others = append(v.Others, factsOf(p.formatIn(lang), other))
	}
	p.share(w, "/book?id="+b.ID.String(), market.BookPageKeys(b.Book))
	p.render(w, r, http.StatusOK, "book", pageData{lang, b.Name, v})
	return nil
}

// renderGone renders the same page for a book that does not exist and one that the viewer may
// not see.
func (p *Pages) renderGone(w http.ResponseWriter, r *http.Request) {
	lang := langOf(r)
	view := messageView{
		Head: translate(lang, "This book is gone"), Text: translate(lang, "It was sold, or its seller has taken it off sale."),
		Back: translate(lang, "Request a copy, and we’ll tell you when one is listed."), To: "/wanted", Alert: true,
	}
	p.render(w, r, http.StatusNotFound, "message", pageData{lang, view.Head, view})
}

// requestFor is the form that requests another copy of a book.
func requestFor(b book.Book) string {
	wanted := url.Values{"name": {b.Name}, "course": {b.Course}}
	if b.ISBN != "" {
		wanted.Set("ISBN", string(b.ISBN))
	}
	return "/wanted?" + wanted.Encode()
}

type listingsView struct {
	Books []market.BookView
	More  string
}

// myListings serves GET /mine: the viewer's books in every status.
func (p *Pages) myListings(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	books, next, err := p.Market.Listings.ListMine(r.Context(), by, pageOf(r))
	if err != nil {
		return err
	}
	lang := langOf(r)
	p.render(w, r, http.StatusOK, "listings", pageData{lang, translate(lang, "My books"), listingsView{books, nextLink(r, next)}})
	return nil
}

type ordersView struct {
	Head    string
	Selling bool
	Orders  []market.OrderView
	More    string
}

// purchases serves GET /purchases.
func (p *Pages) purchases(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.renderOrders(w, r, by, order.BuyerSide, ordersView{Head: "My purchases"})
}

// sales serves GET /sales.
func (p *Pages) sales(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.renderOrders(w, r, by, order.SellerSide, ordersView{Head: "My sales", Selling: true})
}

func (p *Pages) renderOrders(w http.ResponseWriter, r *http.Request, by user.Caller, side order.Side, v ordersView) error {
	orders, next, err := p.Market.Orders.ListHistory(r.Context(), by, side, pageOf(r))
	if err != nil {
		return err
	}
	v.Orders, v.More = orders, nextLink(r, next)
	lang := langOf(r)
	p.render(w, r, http.StatusOK, "orders", pageData{lang, translate(lang, v.Head), v})
	return nil
}

// pageOf reads the cursor of a list.
func pageOf(r *http.Request) market.Page {
	return market.Page{Cursor: market.Cursor(r.URL.Query().Get("cursor"))}
}

// unlist serves POST /mine/unlist.
func (p *Pages) unlist(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Market.Listings.Unlist(r.Context(), by, idOf[book.ID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.redirectAbout(w, r, "/mine", "unlisted", idOf[book.ID](r.PostForm.Get("id")))
}

// relist serves POST /mine/relist.
func (p *Pages) relist(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Market.Listings.Relist(r.Context(), by, idOf[book.ID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.redirectAbout(w, r, "/mine", "listed", idOf[book.ID](r.PostForm.Get("id")))
}
