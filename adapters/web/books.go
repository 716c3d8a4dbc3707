package web

import (
	"net/http"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

type bookView struct {
	market.BookView
	Known, Own, Buyable bool         // the viewer is signed in, is the seller, can buy it
	Fee                 money.Amount // added to the price
	Here                string
}

// showBook serves GET /book?id=.
func (p *Pages) showBook(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	b, err := p.Market.Catalogue.Get(r.Context(), by, idOf[book.ID](r.URL.Query().Get("id")))
	if err != nil {
		return err
	}
	own := by.SignedIn() && b.Seller == by.ID
	p.render(w, r, http.StatusOK, "book", pageData{langOf(r), b.Name, bookView{
		BookView: b, Known: by.SignedIn(), Own: own, Buyable: !own && b.Status == book.ForSale,
		Fee: p.Market.Checkout.Fee(b.Price), Here: r.URL.RequestURI(),
	}})
	return nil
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
	return p.redirect(w, r, "/mine", "unlisted")
}

// relist serves POST /mine/relist.
func (p *Pages) relist(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Market.Listings.Relist(r.Context(), by, idOf[book.ID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.redirect(w, r, "/mine", "listed")
}
