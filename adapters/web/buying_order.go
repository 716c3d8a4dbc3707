package web

import (
	"net/http"
	"net/url"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/desk"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// orderPages shows the sides of an order where it stands.
func (p *Pages) orderPages() feature {
	return feature{
		routes: []*Route{
			get("/sales", p.forStudents(p.sales)).inMenu(20, "My sales", "what was bought from you, and what happens next"),
			get("/purchases", p.forStudents(p.purchases)).inMenu(30, "My purchases", "what you have bought, and where it is"),
			get(orderPath, p.forMembers(p.showOrder)).with("id={order}"), get(orderPath+"/slip", p.forMembers(p.showSlip)).with("id={order}"),
			get(orderPath+"/cancel", p.forStudents(p.showWithdrawal)).with("id={placed}"),
			post(orderPath+"/cancel", p.forStudents(p.withdrawOrder)).
				restores(restored("Cancel the order", form{Button: "Cancel the order", Danger: true, Fields: []field{cancelReason}})),
			get(salePath, p.forAdmins(p.showSale)).with("id={order}"),
		},
		flashes: map[string]string{"withdrawn_order": "The order is cancelled. The buyer and the seller have been notified."},
	}
}

const (
	orderPath  = "/order"
	ordersPath = "/dashboard/orders"
)

// orderView is the page of an order. The viewer is one of buyer, seller and admin.
type orderView struct {
	buying.OrderDetails
	Buying, Selling, Admin bool
	Refusal                string // why the admin may not decide about the order; "": they may
	Code                   order.Code
	Moments                []moment
	Next                   string // what happens next; "" if nothing is left to do
	Desks                  []deskView
	Here                   string
	Meet                   *meetingView // nil: they do not meet
	Slip                   bool         // there is a desk to bring it to
	Ratings                buying.OrderRatings
	Rate                   *form     // nil: not now
	Lapses                 time.Time // zero: it does not
}

// moment is a step of the timeline in words.
type moment struct {
	order.Moment
	Text, Name string
}

// deskView says where and when one side hands in or picks up the book; Desk is nil if
// nobody has entered the desk of the university.
type deskView struct {
	Head, University string
	Desk             *desk.Desk
	Mailbox          string // of the buyer, where there is no desk
	PickUp           bool   // of the buyer
}

// showOrder serves GET /order?id= to buyer and seller.
func (p *Pages) showOrder(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	v, err := p.orderViewOf(r, by, false)
	if err != nil {
		return err
	}
	if !v.Buying && !v.Selling {
		return p.redirect(w, r, salePath+"?id="+v.ID.String(), "")
	}
	return p.renderOrder(w, r, "order", v)
}

// showSale serves GET /dashboard/orders/order?id= to admins.
func (p *Pages) showSale(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	v, err := p.orderViewOf(r, by, true)
	if err != nil {
		return err
	}
	return p.renderOrder(w, r, "order", v)
}

// showSlip serves GET /order/slip?id=: what buyer or seller bring to the desk, to print,
// if there is one.
func (p *Pages) showSlip(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	v, err := p.orderViewOf(r, by, false)
	if err != nil {
		return err
	}
	if !v.Slip {
		return p.redirect(w, r, orderPath+"?id="+v.ID.String(), "")
	}
	return p.renderOrder(w, r, "slip", v)
}

func (p *Pages) renderOrder(w http.ResponseWriter, r *http.Request, page string, v orderView) error {
	p.render(w, r, http.StatusOK, page, pageData{langOf(r), v.Name, v})
	return nil
}

// orderViewOf reads the order in the query as its buyer, its seller or an admin sees it.
func (p *Pages) orderViewOf(r *http.Request, by user.Caller, admin bool) (orderView, error) {
	o, err := p.Market.Orders.Get(r.Context(), by, idOf[order.ID](r.URL.Query().Get("id")))
	if err != nil {
		return orderView{}, err
	}
	desks, err := p.Market.Desks.OfOrder(r.Context(), o)
	if err != nil {
		return orderView{}, err
	}
	v := orderView{
		OrderDetails: o, Admin: admin, Buying: !admin && by.ID == o.Buyer, Selling: !admin && by.ID == o.Seller,
		Code: o.ID.Code(), Here: r.URL.Path + "?id=" + o.ID.String(),
	}
	if admin {
		ruling, err := p.rulingFor(r, by)
		if err != nil {
			return orderView{}, err
		}
		v.Refusal = ruling.refusal(o.Affair())
	}
	for _, m := range o.Timeline() {
		v.Moments = append(v.Moments, moment{m, stepText(o.OrderView, m.Step), o.NameOf(m.By)})
	}
	if v.Meet, err = p.meetingOf(r, by, v); err != nil {
		return orderView{}, err
	}
	mode, lang, format := p.Market.Meetings.Mode(), langOf(r), p.formatIn(langOf(r)).Money
	if v.Next = v.nextAtMeeting(mode, lang, format); v.Next == "" {
		v.Next = v.next(lang, format)
	}
	if v.Next != "" && v.Refusal != "" {
		v.Next = v.Refusal
	}
	v.Lapses = p.Market.Orders.LapsesAt(o.OrderView)
	if mode.HasDesk() && !v.Met() && (v.Meet == nil || !v.Meet.Agreed) {
		v.Slip, v.Desks = true, v.desksOf(desks)
	}
	return v, p.addRatings(r, by, &v)
}

// next says what happens next and who does it.
func (v orderView) next(lang user.Lang, format func(money.Amount) string) string {
	total, price := format(v.Total()), format(v.Price)
	switch {
	case v.Status == order.Placed && v.Selling:
		return translate(lang, "Bring the book to the desk. We check its condition and charge the buyer.")
	case v.Status == order.Placed && v.Buying:
		return translate(lang, "The seller brings the book to the desk. We check its condition, and only then charge you %s.", total)
	case v.Status == order.Placed:
		return translate(lang, "The seller brings the book. Check its condition, then charge the buyer %s.", total)
	case v.Status == order.Verified && v.Selling:
		return translate(lang, "The buyer gets the book, and then we pay you %s.", price)
	case v.Status == order.Verified && v.Buying:
		return translate(lang, "The book is ready for you: its condition is as described, and you have been charged %s.", total)
	case v.Status == order.Verified:
		return translate(lang, "Hand the book over to the buyer, then pay the seller %s.", price)
	}
	return ""
}

// desksOf returns the desks that matter to the viewer now.
func (v orderView) desksOf(d buying.OrderDesks) []deskView {
	handIn := deskView{Head: "Hand in", University: v.About.University, Desk: d.HandIn}
	pickUp := deskView{Head: "Pick up", University: v.BuyerParty.University, Desk: d.PickUp, Mailbox: v.BuyerParty.CampusMailbox, PickUp: true}
	switch {
	case v.Status != order.Placed && v.Status != order.Verified:
		return nil
	case v.Selling && v.Status == order.Verified:
		return nil
	case v.Selling:
		return []deskView{handIn}
	case v.Buying:
		return []deskView{pickUp}
	}
	return []deskView{handIn, pickUp}
}

// showWithdrawal serves GET /order/cancel?id=: it names the book and the consequences, and asks
// for the reason.
func (p *Pages) showWithdrawal(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	v, err := p.withdrawalForm(r, by, r.URL.Query().Get("id"))
	if err != nil {
		return err
	}
	p.renderForm(w, r, v)
	return nil
}

func (p *Pages) withdrawalForm(r *http.Request, by user.Caller, id string) (formView, error) {
	o, err := p.Market.Orders.Get(r.Context(), by, idOf[order.ID](id))
	if err != nil {
		return formView{}, err
	}
	if !o.Involves(by.ID) {
		return formView{}, order.ErrNotFound
	}
	lang := langOf(r)
	title := quoted(lang, o.Name)
	text := translate(lang, "If you cancel the purchase of %s, the book is for sale again. You are not charged.", title)
	if by.ID == o.Seller {
		text = translate(lang, "If you cancel the sale of %s, the book is unlisted. The buyer is not charged.", title)
	}
	return formView{
		Head: "Cancel the order", Text: text,
		Form:  form{Action: orderPath + "/cancel", Button: "Cancel the order", Danger: true, Hidden: []hidden{{"id", o.ID.String()}}, Fields: []field{cancelReason}},
		Links: []option{{Value: orderPath + "?id=" + o.ID.String(), Label: "Keep the order"}},
	}, nil
}

// withdrawOrder serves POST /order/cancel. A second press of the button is not an error.
func (p *Pages) withdrawOrder(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := idOf[order.ID](r.PostForm.Get("id"))
	_, err := p.Market.Orders.Withdraw(r.Context(), by, id, r.PostForm.Get("reason"))
	if err != nil {
		o, unknown := p.Market.Orders.Get(r.Context(), by, id)
		if unknown == nil && o.CancelledBy == by.ID {
			err = nil
		}
	}
	if err != nil {
		v, unknown := p.withdrawalForm(r, by, r.PostForm.Get("id"))
		if unknown != nil {
			return unknown
		}
		return p.retryForm(w, r, v, err)
	}
	return p.redirect(w, r, orderPath+"?"+url.Values{"id": {id.String()}}.Encode(), aboutOrder("withdrawn_order", id))
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
	return p.show(w, r, http.StatusOK, "orders", v.Head, v)
}
