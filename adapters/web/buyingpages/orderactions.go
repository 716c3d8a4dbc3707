package buyingpages

import (
	"errors"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// orderActionPages is what staff does with an order.
func (p *Pages) orderActionPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(ordersPath+"/confirm", p.ForAdmins(p.showConfirm)).With("sale={placed}&id={placedbook}"), web.Post(ordersPath+"/confirm", p.ForAdmins(p.confirmOrder)),
			web.Get(ordersPath+"/settle", p.ForAdmins(p.showSettle)).With("sale={settle}&id={settlebook}"), web.Post(ordersPath+"/settle", p.ForAdmins(p.settleOrder)),
			web.Get(ordersPath+"/pay", p.ForAdmins(p.showPay)).With("sale={verified}&id={verifiedbook}"), web.Post(ordersPath+"/pay", p.ForAdmins(p.payOrder)),
			web.Get(ordersPath+"/cancel", p.ForAdmins(p.showCancel)).With("sale={placed}&id={placedbook}"),
			web.Post(ordersPath+"/cancel", p.ForAdmins(p.cancelOrder)).Restores(web.Restored("Cancel sale", web.Form{Button: "Cancel sale", Danger: true, Fields: []web.Field{cancelReason}})),
		},
		Flashes: map[string]string{
			"confirmed": "The condition is verified and the buyer has been charged.",
			"paid":      "The book is delivered and the seller has been paid.",
			"cancelled": "The sale was cancelled. The buyer and the seller have been notified.",
			"settled":   "The buyer has been charged and the seller has been paid.",
		},
	}
}

// orderActionView asks for confirmation before money moves or a sale ends, on a page of
// its own that names the book, the people and the sum. With the button in the list, the next
// sale would take the place of the last one, and a second click would charge somebody else.
type orderActionView struct {
	Head, Text, Action, Button string // the button names the amount, unless Free
	Sale                       market.OrderView
	People                     []orderSide // those who pay or are paid
	Amount                     money.Amount
	Pay                        money.Amount // what the seller gets, if that is on the page; else 0
	Free                       bool         // no money moves
	Form                       web.Form     // further fields, with their errors
	Back                       string
}

// orderSide is a person with the name of their side.
type orderSide struct {
	Label string
	Party market.Party
}

// showConfirm serves GET /dashboard/orders/confirm.
func (p *Pages) showConfirm(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showOrderAction(w, r, by, func(o market.OrderView) (orderActionView, bool) {
		return orderActionView{
			Head: "Charge the buyer", Text: "You have checked the book: its condition is as described.",
			Action: "/dashboard/orders/confirm", Button: "Charge %s", People: []orderSide{{"Buyer", o.BuyerParty}}, Amount: o.Total(),
		}, o.Status == order.Placed
	})
}

// showPay serves GET /dashboard/orders/pay.
func (p *Pages) showPay(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showOrderAction(w, r, by, func(o market.OrderView) (orderActionView, bool) {
		return orderActionView{
			Head: "Pay the seller", Text: "The buyer has received the book.",
			Action: "/dashboard/orders/pay", Button: "Pay %s", People: []orderSide{{"Seller", o.SellerParty}}, Amount: o.Price,
		}, o.Status == order.Verified
	})
}

// showSettle serves GET /dashboard/orders/settle.
func (p *Pages) showSettle(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showOrderAction(w, r, by, func(o market.OrderView) (orderActionView, bool) {
		return orderActionView{
			Head: "Settle the sale", Text: "The buyer and the seller have met, and the book was handed over.",
			Action: "/dashboard/orders/settle", Button: "Charge %s and pay the seller",
			People: []orderSide{{"Buyer", o.BuyerParty}, {"Seller", o.SellerParty}}, Amount: o.Total(), Pay: o.Price,
		}, o.WaitsForSettlement()
	})
}

// showCancel serves GET /dashboard/orders/cancel.
func (p *Pages) showCancel(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showOrderAction(w, r, by, cancelView)
}

var cancelReason = web.Field{Name: "reason", Label: "Reason (shown to the buyer and the seller)", Max: web.MaxReasonText}

func cancelView(o market.OrderView) (orderActionView, bool) {
	v := orderActionView{
		Head: "Cancel the sale", Text: "The buyer has not been charged. The book is for sale again, and the buyer and the seller are notified.",
		Action: "/dashboard/orders/cancel", Button: "Cancel sale", People: []orderSide{{"Buyer", o.BuyerParty}, {"Seller", o.SellerParty}}, Amount: o.Total(), Free: true,
		Form: web.Form{Danger: true, Fields: []web.Field{cancelReason}},
	}
	if o.Status == order.Verified {
		v.Head, v.Text = "Refund the buyer", "The buyer has been charged and gets the money back. The book is for sale again, and the buyer and the seller are notified."
		v.Button, v.Free = "Cancel and refund %s", false
	}
	return v, o.Status == order.Placed || o.Status == order.Verified
}

// showOrderAction asks for confirmation of a step of a sale. view returns false if the status
// of the sale does not allow it.
func (p *Pages) showOrderAction(w http.ResponseWriter, r *http.Request, by user.Caller, view func(market.OrderView) (orderActionView, bool)) error {
	query := r.URL.Query()
	if !query.Has("id") { // after signing in
		http.Redirect(w, r, "/dashboard/orders", http.StatusSeeOther)
		return nil
	}
	sale, err := p.sale(r, by, query.Get("id"), query.Get("sale"))
	if err != nil {
		return err
	}
	ruling, err := p.RulingFor(r, by)
	if err != nil {
		return err
	}
	if err := ruling.Check(sale.Affair()); err != nil {
		return err
	}
	v, allowed := view(sale)
	if !allowed {
		return book.ErrTransition
	}
	v.Sale, v.Back = sale, web.LocalPath(query.Get("back"))
	p.renderOrderAction(w, r, http.StatusOK, v)
	return nil
}

func (p *Pages) renderOrderAction(w http.ResponseWriter, r *http.Request, status int, v orderActionView) {
	lang := web.LangOf(r)
	p.Render(w, r, status, "orderaction", web.PageData{Lang: lang, Title: web.Translate(lang, v.Head), Page: v})
}

// sale returns the sale that the page has shown. It returns book.ErrTransition if the
// book has another sale by now.
func (p *Pages) sale(r *http.Request, by user.Caller, bookID, id string) (market.OrderView, error) {
	b, err := p.Market.Catalogue.Get(r.Context(), by, web.IDOf[book.ID](bookID))
	if err != nil {
		return market.OrderView{}, err
	}
	if b.Order == nil || b.Order.ID != web.IDOf[order.ID](id) {
		return market.OrderView{}, book.ErrTransition
	}
	return *b.Order, nil
}

// ordersFor restricts the use cases to the sale that the page has shown: by now the
// book may be sold to somebody else.
func (p *Pages) ordersFor(r *http.Request) *buying.Orders {
	return p.Market.Orders.ForOrder(web.IDOf[order.ID](r.PostForm.Get("sale")))
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
	return p.Done(w, r, err, r.PostForm.Get("back"), web.AboutOrder(notice, web.IDOf[order.ID](r.PostForm.Get("sale"))))
}

// confirmOrder serves POST /dashboard/orders/confirm.
func (p *Pages) confirmOrder(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.ordersFor(r).Confirm(r.Context(), by, web.IDOf[book.ID](r.PostForm.Get("id")))
	return p.finishOrderAction(w, r, by, order.Verified, "confirmed", err)
}

// settleOrder serves POST /dashboard/orders/settle.
func (p *Pages) settleOrder(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.ordersFor(r).Settle(r.Context(), by, web.IDOf[book.ID](r.PostForm.Get("id")))
	if errors.Is(err, order.ErrNotHandedOver) {
		err = book.ErrTransition // or it was settled by the first press of the button
	}
	return p.finishOrderAction(w, r, by, order.Delivered, "settled", err)
}

// payOrder serves POST /dashboard/orders/pay.
func (p *Pages) payOrder(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.ordersFor(r).SetPaid(r.Context(), by, web.IDOf[book.ID](r.PostForm.Get("id")))
	return p.finishOrderAction(w, r, by, order.Delivered, "paid", err)
}

// cancelOrder serves POST /dashboard/orders/cancel. A second press of the button is not an
// error, unless the book is sold again.
func (p *Pages) cancelOrder(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	f := r.PostForm
	id := web.IDOf[order.ID](f.Get("sale"))
	_, err := p.ordersFor(r).Cancel(r.Context(), by, web.IDOf[book.ID](f.Get("id")), f.Get("reason"))
	switch {
	case errors.Is(err, book.ErrTransition):
		if o, unknown := p.Market.Orders.Get(r.Context(), by, id); unknown == nil && o.CancelledBy == by.ID && !o.About.Status.Sold() {
			err = nil
		}
	case err != nil && web.CanRetry(err):
		return p.retryCancel(w, r, by, err)
	}
	return p.Done(w, r, err, f.Get("back"), web.AboutOrder("cancelled", id))
}

// retryCancel asks again after an error in the reason.
func (p *Pages) retryCancel(w http.ResponseWriter, r *http.Request, by user.Caller, wrong error) error {
	sale, err := p.sale(r, by, r.PostForm.Get("id"), r.PostForm.Get("sale"))
	if err != nil {
		return err
	}
	v, _ := cancelView(sale)
	v.Sale, v.Back, v.Form = sale, web.LocalPath(r.PostForm.Get("back")), v.Form.WithValues(r.PostForm).WithErrors(web.LangOf(r), wrong)
	p.renderOrderAction(w, r, httpx.Status(wrong), v)
	return nil
}
