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

// orderActionView asks for confirmation before money moves, on a page of its own that
// names whose money it is. With the button in the list, the next sale would take the
// place of the last one, and a second click would charge somebody else.
type orderActionView struct {
	Head, Text, Action, Button string
	Sale                       market.OrderView
	Side                       string
	Party                      market.Party // the person who pays or is paid
	Amount                     money.Amount
	Back                       string
}

// showConfirm serves GET /dashboard/orders/confirm.
func (p *Pages) showConfirm(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showOrderAction(w, r, by, order.Placed, func(o market.OrderView) orderActionView {
		return orderActionView{
			Head: "Charge the buyer", Text: "You have checked the book: its condition is as described.",
			Action: "/dashboard/orders/confirm", Button: "Charge %s", Side: "Buyer", Party: o.BuyerParty, Amount: o.Total(),
		}
	})
}

// showPay serves GET /dashboard/orders/pay.
func (p *Pages) showPay(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showOrderAction(w, r, by, order.Verified, func(o market.OrderView) orderActionView {
		return orderActionView{
			Head: "Pay the seller", Text: "The buyer has received the book.",
			Action: "/dashboard/orders/pay", Button: "Pay %s", Side: "Seller", Party: o.SellerParty, Amount: o.Price,
		}
	})
}

// showOrderAction asks for confirmation of the next step of a sale in status from.
func (p *Pages) showOrderAction(w http.ResponseWriter, r *http.Request, by user.Caller, from order.Status, view func(market.OrderView) orderActionView) error {
	query := r.URL.Query()
	if !query.Has("id") { // after signing in
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
	v.Sale, v.Back = sale, localPath(query.Get("back"))
	lang := langOf(r)
	p.render(w, r, http.StatusOK, "orderaction", pageData{lang, translate(lang, v.Head), v})
	return nil
}

// sale returns the sale that the page has shown. It returns book.ErrTransition if the
// book has another sale by now.
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

// ordersFor restricts the use cases to the sale that the page has shown: by now the
// book may be sold to somebody else.
func (p *Pages) ordersFor(r *http.Request) *market.Orders {
	return p.Market.Orders.ForOrder(idOf[order.ID](r.PostForm.Get("sale")))
}

// finishOrderAction redirects to the list once the sale has reached status to. A
// second press of the button is not an error.
func (p *Pages) finishOrderAction(w http.ResponseWriter, r *http.Request, by user.Caller, to order.Status, notice string, err error) error {
	if errors.Is(err, book.ErrTransition) {
		sale, unknown := p.sale(r, by, r.PostForm.Get("id"), r.PostForm.Get("sale"))
		if unknown == nil && sale.Status >= to {
			err = nil
		}
	}
	if err != nil {
		return err
	}
	return p.redirect(w, r, r.PostForm.Get("back"), aboutOrder(notice, idOf[order.ID](r.PostForm.Get("sale"))))
}

// confirmOrder serves POST /dashboard/orders/confirm.
func (p *Pages) confirmOrder(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.ordersFor(r).Confirm(r.Context(), by, idOf[book.ID](r.PostForm.Get("id")))
	return p.finishOrderAction(w, r, by, order.Verified, "confirmed", err)
}

// payOrder serves POST /dashboard/orders/pay.
func (p *Pages) payOrder(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.ordersFor(r).SetPaid(r.Context(), by, idOf[book.ID](r.PostForm.Get("id")))
	return p.finishOrderAction(w, r, by, order.Delivered, "paid", err)
}

// cancelOrder serves POST /dashboard/orders/cancel.
func (p *Pages) cancelOrder(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.ordersFor(r).Cancel(r.Context(), by, idOf[book.ID](r.PostForm.Get("id")), r.PostForm.Get("reason"))
	if err != nil {
		return err
	}
	return p.redirect(w, r, r.PostForm.Get("back"), aboutOrder("cancelled", idOf[order.ID](r.PostForm.Get("sale"))))
}
