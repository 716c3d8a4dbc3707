package buyingpages

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/desk"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// orderPages shows the sides of an order where it stands.
func (p *Pages) orderPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get("/sales", p.ForStudents(p.sales)).InMenu(20, "My sales", "what was bought from you, and what happens next"),
			web.Get("/purchases", p.ForStudents(p.purchases)).InMenu(30, "My purchases", "what you have bought, and where it is"),
			web.Get(orderPath, p.ForMembers(p.showOrder)).With("id={order}"), web.Get(orderPath+"/slip", p.ForMembers(p.showSlip)).With("id={order}"),
			web.Get(orderPath+"/cancel", p.ForStudents(p.showWithdrawal)).With("id={placed}"),
			web.Post(orderPath+"/cancel", p.ForStudents(p.withdrawOrder)).
				Restores(web.Restored("Cancel the order", web.Form{Button: "Cancel the order", Danger: true, Fields: []web.Field{cancelReason}})),
			web.Get(web.SalePath, p.ForAdmins(p.showSale)).With("id={order}"),
		},
		Flashes: map[string]string{"withdrawn_order": "The order is cancelled. The buyer and the seller have been notified."},
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
	Progress               []progress // none of a cancelled order
	Moments                []moment
	Next                   string     // what happens next; "" if nothing is left to do
	Does                   action     // of the viewer, "" for none
	Link                   web.Option // to it, if it is on another page
	BuyerName, SellerName  string     // or what people without one are called
	Desks                  []deskView
	Here                   string
	Meet                   *meetingView // nil: they do not meet
	Slip                   bool         // there is a desk to bring it to
	Ratings                buying.OrderRatings
	Rate                   *web.Form // nil: not now
	Rated                  bool      // by the viewer
	Lapses                 time.Time // zero: it does not
	Problems               []web.Problem
}

// OwnProblem reports whether the viewer has an open report about the order.
func (v orderView) OwnProblem() bool { return web.OpenProblem(v.Problems) != nil }

// OpenProblem reports whether anybody has one.
func (v orderView) OpenProblem() bool {
	return slices.ContainsFunc(v.Problems, func(p web.Problem) bool { return p.Open() })
}

// OtherSide reports whether the other side of the viewer still has an account.
func (v orderView) OtherSide() bool {
	return !v.Admin && !v.otherParty().Left()
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
		return p.Redirect(w, r, web.SalePath+"?id="+v.ID.String(), "")
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
		return p.Redirect(w, r, orderPath+"?id="+v.ID.String(), "")
	}
	return p.renderOrder(w, r, "slip", v)
}

func (p *Pages) renderOrder(w http.ResponseWriter, r *http.Request, page string, v orderView) error {
	p.Render(w, r, http.StatusOK, page, web.PageData{Lang: web.LangOf(r), Title: v.Name, Page: v})
	return nil
}

// orderViewOf reads the order in the query as its buyer, its seller or an admin sees it.
func (p *Pages) orderViewOf(r *http.Request, by user.Caller, admin bool) (orderView, error) {
	o, err := p.Market.Orders.Get(r.Context(), by, web.IDOf[order.ID](r.URL.Query().Get("id")))
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
		ruling, err := p.RulingFor(r, by)
		if err != nil {
			return orderView{}, err
		}
		v.Refusal = ruling.Refusal(o.Affair())
	}
	for _, m := range o.Timeline() {
		v.Moments = append(v.Moments, moment{m, web.StepText(o.OrderView, m.Step), o.NameOf(m.By)})
	}
	if v.Meet, err = p.meetingOf(r, by, v); err != nil {
		return orderView{}, err
	}
	mode, lang := p.Market.Meetings.Mode(), web.LangOf(r)
	words := p.wordsFor(v, lang)
	v.Next, v.BuyerName, v.SellerName = words.next(mode), words.buyer, words.seller
	v.Lapses = p.Market.Orders.LapsesAt(o.OrderView)
	if mode.HasDesk() && !v.Met() && !v.Abandoned() && (v.Meet == nil || !v.Meet.Agreed) {
		v.Slip, v.Desks = true, v.desksOf(desks)
	}
	if err := p.addRatings(r, by, &v); err != nil {
		return orderView{}, err
	}
	if v.Problems, err = p.ProblemsOf(r, by, v.ID); err != nil {
		return orderView{}, err
	}
	v.Progress = v.progressOf(mode)
	v.Does, v.Link = v.actionOf(lang, p.Clock.Now())
	return v, nil
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
	p.RenderForm(w, r, v)
	return nil
}

func (p *Pages) withdrawalForm(r *http.Request, by user.Caller, id string) (web.FormView, error) {
	o, err := p.Market.Orders.Get(r.Context(), by, web.IDOf[order.ID](id))
	if err != nil {
		return web.FormView{}, err
	}
	if !o.Involves(by.ID) {
		return web.FormView{}, order.ErrNotFound
	}
	lang := web.LangOf(r)
	title := web.Quoted(lang, o.Name)
	text := web.Translate(lang, "If you cancel the purchase of %s, the book is for sale again. You are not charged.", title)
	if by.ID == o.Seller {
		text = web.Translate(lang, "If you cancel the sale of %s, the book is unlisted. The buyer is not charged.", title)
	}
	return web.FormView{
		Head: "Cancel the order", Text: text,
		Form:  web.Form{Action: orderPath + "/cancel", Button: "Cancel the order", Danger: true, Hidden: []web.Hidden{{Name: "id", Value: o.ID.String()}}, Fields: []web.Field{cancelReason}},
		Links: []web.Option{{Value: orderPath + "?id=" + o.ID.String(), Label: "Keep the order"}},
	}, nil
}

// withdrawOrder serves POST /order/cancel. A second press of the button is not an error.
func (p *Pages) withdrawOrder(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := web.IDOf[order.ID](r.PostForm.Get("id"))
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
		return p.RetryForm(w, r, v, err)
	}
	return p.Redirect(w, r, orderPath+"?"+url.Values{"id": {id.String()}}.Encode(), web.AboutOrder("withdrawn_order", id))
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
	orders, next, err := p.Market.Orders.ListHistory(r.Context(), by, side, web.PageOf(r))
	if err != nil {
		return err
	}
	v.Orders, v.More = orders, web.NextLink(r, next)
	return p.Show(w, r, http.StatusOK, "orders", v.Head, v)
}
