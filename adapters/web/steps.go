package web

import (
	"errors"
	"net/http"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// stepView asks before money moves. The button stands on a page of its own that
// names whose money it is: in a list, the button of the next sale moves to where the
// last one was, and a second click would charge somebody else.
type stepView struct {
	Head, Text, Action, Button string
	Sale                       market.OrderView
	Side                       string
	Party                      market.Party // who pays or is paid
	Amount                     money.Cents
	Back                       string
}

// askConfirm serves GET /dashboard/orders/confirm.
func (p *Pages) askConfirm(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.askStep(w, r, by, order.Placed, func(o market.OrderView) stepView {
		return stepView{
			Head: "Charge the buyer", Text: "You have checked the book: its condition is as described.",
			Action: "/dashboard/orders/confirm", Button: "Charge %s", Side: "Buyer", Party: o.BuyerParty, Amount: o.Total(),
		}
	})
}

// askPay serves GET /dashboard/orders/pay.
func (p *Pages) askPay(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.askStep(w, r, by, order.Verified, func(o market.OrderView) stepView {
		return stepView{
			Head: "Pay the seller", Text: "The buyer has received the book.",
			Action: "/dashboard/orders/pay", Button: "Pay %s", Side: "Seller", Party: o.SellerParty, Amount: o.Price,
		}
	})
}

// askStep shows what is about to happen to a sale that has come this far.
func (p *Pages) askStep(w http.ResponseWriter, r *http.Request, by user.Caller, from order.Status, view func(market.OrderView) stepView) error {
	query := r.URL.Query()
	if !query.Has("id") { // on the way back from signing in
		http.Redirect(w, r, "/dashboard/orders", http.StatusSeeOther)
		return nil
	}
	sale, err := p.sale(r, by, query.Get("id"), query.Get("sale"))
	if err != nil {
		return err
	}
	if sale.Status != from {
		return book.ErrTransition
	}
	v := view(sale)
	v.Sale, v.Back = sale, local(query.Get("back"))
	lang := langOf(r)
	p.show(w, r, http.StatusOK, "step", frame{lang, say(lang, v.Head), v})
	return nil
}

// sale is the one that a button stood beside; book.ErrTransition if it is not the
// book's any more.
func (p *Pages) sale(r *http.Request, by user.Caller, bookID, id string) (market.OrderView, error) {
	b, err := p.Market.Catalogue.Get(r.Context(), by, idOf[book.ID](bookID))
	if err != nil {
		return market.OrderView{}, err
	}
	if b.Order == nil || b.Order.ID != idOf[order.ID](id) {
		return market.OrderView{}, book.ErrTransition
	}
	return *b.Order, nil
}

// saleOf is the sale that a button stood beside: by now the book may be sold to
// somebody else.
func (p *Pages) saleOf(r *http.Request) *market.Orders {
	return p.Market.Orders.ForOrder(idOf[order.ID](r.PostForm.Get("sale")))
}

// moved leads back to the list once a sale has come this far. A button that is
// pressed twice has done its work.
func (p *Pages) moved(w http.ResponseWriter, r *http.Request, by user.Caller, to order.Status, notice string, err error) error {
	if errors.Is(err, book.ErrTransition) {
		sale, unknown := p.sale(r, by, r.PostForm.Get("id"), r.PostForm.Get("sale"))
		if unknown == nil && sale.Status >= to {
			err = nil
		}
	}
	if err != nil {
		return err
	}
	return p.onward(w, r, r.PostForm.Get("back"), notice)
}

// confirmOrder serves POST /dashboard/orders/confirm.
func (p *Pages) confirmOrder(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.saleOf(r).Confirm(r.Context(), by, idOf[book.ID](r.PostForm.Get("id")))
	return p.moved(w, r, by, order.Verified, "confirmed", err)
}

// payOrder serves POST /dashboard/orders/pay.
func (p *Pages) payOrder(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.saleOf(r).SetPaid(r.Context(), by, idOf[book.ID](r.PostForm.Get("id")))
	return p.moved(w, r, by, order.Delivered, "paid", err)
}

// cancelOrder serves POST /dashboard/orders/cancel.
func (p *Pages) cancelOrder(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.saleOf(r).Cancel(r.Context(), by, idOf[book.ID](r.PostForm.Get("id")), r.PostForm.Get("reason"))
	if err != nil {
		return err
	}
	return p.onward(w, r, r.PostForm.Get("back"), "cancelled")
}
