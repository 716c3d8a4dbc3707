package web

import (
	"net/http"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

type copyView struct {
	market.BookView
	Known, Own, Buyable bool        // who looks is signed in, sells it, could buy it
	Fee                 money.Cents // what a buyer pays on top
	Here                string
}

// showBook serves GET /book?id=: all about one copy.
func (p *Pages) showBook(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	b, err := p.Market.Catalogue.Get(r.Context(), by, idOf[book.ID](r.URL.Query().Get("id")))
	if err != nil {
		return err
	}
	own := by.SignedIn() && b.Seller == by.ID
	p.show(w, r, http.StatusOK, "copy", frame{langOf(r), b.Name, copyView{
		BookView: b, Known: by.SignedIn(), Own: own, Buyable: !own && b.Status == book.ForSale,
		Fee: p.Market.Checkout.Fee(b.Price), Here: r.URL.RequestURI(),
	}})
	return nil
}

type mineView struct {
	Books []market.BookView
	More  string
}

// mine serves GET /mine: what one has posted, in every status.
func (p *Pages) mine(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	books, next, err := p.Market.Listings.ListMine(r.Context(), by, pageOf(r))
	if err != nil {
		return err
	}
	lang := langOf(r)
	p.show(w, r, http.StatusOK, "mine", frame{lang, say(lang, "My books"), mineView{books, further(r, next)}})
	return nil
}

type tradesView struct {
	Head    string
	Selling bool
	Orders  []market.OrderView
	More    string
}

// purchases serves GET /purchases: what one has bought, and what came of it.
func (p *Pages) purchases(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.trades(w, r, by, order.BuyerSide, tradesView{Head: "My purchases"})
}

// sales serves GET /sales.
func (p *Pages) sales(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.trades(w, r, by, order.SellerSide, tradesView{Head: "My sales", Selling: true})
}

func (p *Pages) trades(w http.ResponseWriter, r *http.Request, by user.Caller, side order.Side, v tradesView) error {
	orders, next, err := p.Market.Orders.ListHistory(r.Context(), by, side, pageOf(r))
	if err != nil {
		return err
	}
	v.Orders, v.More = orders, further(r, next)
	lang := langOf(r)
	p.show(w, r, http.StatusOK, "trades", frame{lang, say(lang, v.Head), v})
	return nil
}

// pageOf reads where a list goes on.
func pageOf(r *http.Request) market.Page {
	return market.Page{Cursor: market.Cursor(r.URL.Query().Get("cursor"))}
}

// unlist serves POST /mine/unlist.
func (p *Pages) unlist(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Market.Listings.Unlist(r.Context(), by, idOf[book.ID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.onward(w, r, "/mine", "unlisted")
}

// relist serves POST /mine/relist.
func (p *Pages) relist(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Market.Listings.Relist(r.Context(), by, idOf[book.ID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.onward(w, r, "/mine", "listed")
}
