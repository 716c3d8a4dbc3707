package buyingpages

import (
	"errors"
	"net/http"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// meetingPages has the forms with which the sides of an order agree on a meeting and confirm it.
func (p *Pages) meetingPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Post(meetingPath, p.ForStudents(p.proposeMeeting)).
				Restores(web.Restored("Propose where and when to meet", web.Form{Button: "Propose", Fields: []web.Field{meetingTime("")}})),
			web.Post(acceptMeetingPath, p.ForStudents(p.acceptMeeting)),
			web.Post(handoverPath, p.ForStudents(p.confirmHandover)).Restores(web.Restored("Confirm the hand-over", *handoverForm(0))),
		},
		Flashes: map[string]string{
			"meet_proposed": "The other side has been notified of your proposal.",
			"meet_accepted": "You have agreed on where and when to meet.",
			"handed_over":   "The book is handed over. We charge the buyer next, and then pay you.",
			"handed_direct": "The book is handed over. The buyer pays you directly.",
		},
	}
}

const (
	meetingPath       = "/order/meeting"
	acceptMeetingPath = "/order/meeting/accept"
	handoverPath      = "/order/handover"
)

// meetingView is where and when the two sides of an order meet, and what the viewer can do.
type meetingView struct {
	*meeting.Proposal        // nil: nothing is proposed
	ByName            string // who has proposed it
	Agreed, Over      bool   // Over: the book has changed hands there
	CanAccept         bool
	Code              meeting.Code // for the buyer
	Confirm           *web.Form    // for the seller; nil: not now
	Propose           *web.Form    // nil: not now
	NoPlaces          bool         // nobody has entered a place yet
}

// meetingOf returns what the page of an order shows of its meeting; nil where there is none.
func (p *Pages) meetingOf(r *http.Request, by user.Caller, v orderView) (*meetingView, error) {
	waits := v.Waits() && p.Market.Meetings.Mode().Meets()
	if v.Meeting == nil && (!waits || v.Admin) || !waits && !v.Met() {
		return nil, nil
	}
	m := &meetingView{Proposal: v.Meeting, Over: !waits}
	if v.Meeting != nil {
		m.ByName, m.Agreed = v.NameOf(v.Meeting.By), v.Meeting.State == meeting.Accepted
	}
	if !waits || v.Admin {
		return m, nil
	}
	m.Code = p.Market.Meetings.CodeFor(by, v.OrderView)
	m.CanAccept = m.Proposal != nil && !m.Agreed && m.By != by.ID
	if m.Agreed && v.Selling {
		m.Confirm = handoverForm(v.ID)
		m.Confirm.Fields[0].Hint = web.Translate(web.LangOf(r), "It counts from one hour before the agreed time.")
	}
	places, err := p.Market.Meetings.PlacesOf(r.Context(), by, v.ID)
	if m.NoPlaces = len(places) == 0; !m.NoPlaces {
		m.Propose = p.proposalForm(v.ID, places)
	}
	return m, err
}

func handoverForm(id order.ID) *web.Form {
	return &web.Form{Action: handoverPath, Button: "Confirm the hand-over", Hidden: []web.Hidden{{Name: "id", Value: id.String()}}, Fields: []web.Field{
		{Name: "code", Label: "The code that the buyer shows", Max: 20, Autocomplete: "off"},
	}}
}

// proposalForm asks where and when to meet, in the time zone of the campus.
func (p *Pages) proposalForm(id order.ID, places []meeting.Place) *web.Form {
	options := make([]web.Option, len(places))
	for i, place := range places {
		options[i] = web.Option{Value: place.ID.String(), Label: place.Name + " · " + place.Hours}
	}
	return &web.Form{Action: meetingPath, Button: "Propose", Hidden: []web.Hidden{{Name: "id", Value: id.String()}}, Fields: []web.Field{
		{Name: "place", Label: "Place", Type: "choice", Options: options},
		meetingTime("Time zone: " + p.zone().String()),
	}}
}

func meetingTime(hint string) web.Field {
	return web.Field{Name: "at", Label: "Date and time", Type: "datetime-local", Hint: hint}
}

func (p *Pages) zone() *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}

// readLocalTime reads the value of a datetime-local field; the zero time if it is none.
func readLocalTime(s string, zone *time.Location) time.Time {
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return t
		}
	}
	return time.Time{}
}

// proposeMeeting serves POST /order/meeting.
func (p *Pages) proposeMeeting(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	f := r.PostForm
	id := web.IDOf[order.ID](f.Get("id"))
	_, err := p.Market.Meetings.Propose(r.Context(), by, id, web.IDOf[meeting.PlaceID](f.Get("place")), readLocalTime(f.Get("at"), p.zone()))
	if err != nil {
		places, unknown := p.Market.Meetings.PlacesOf(r.Context(), by, id)
		if unknown != nil {
			return unknown
		}
		return p.RetryForm(w, r, p.orderForm("Propose where and when to meet", *p.proposalForm(id, places), id), err)
	}
	return p.Redirect(w, r, orderPath+"?id="+id.String(), web.AboutOrder("meet_proposed", id))
}

// orderForm is a form of the page of an order on a page of its own, with its errors.
func (p *Pages) orderForm(head string, f web.Form, id order.ID) web.FormView {
	return web.FormView{Head: head, Form: f, Links: []web.Option{{Value: orderPath + "?id=" + id.String(), Label: "Back to the order"}}}
}

// acceptMeeting serves POST /order/meeting/accept.
func (p *Pages) acceptMeeting(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	o, err := p.Market.Meetings.Accept(r.Context(), by, web.IDOf[meeting.ID](r.PostForm.Get("id")))
	return p.Done(w, r, err, orderPath+"?id="+o.ID.String(), web.AboutOrder("meet_accepted", o.ID))
}

// confirmHandover serves POST /order/handover. A second press of the button is not an error.
func (p *Pages) confirmHandover(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := web.IDOf[order.ID](r.PostForm.Get("id"))
	o, err := p.Market.Meetings.Confirm(r.Context(), by, id, r.PostForm.Get("code"))
	if errors.Is(err, order.ErrTransition) {
		var unknown error
		if o, unknown = p.Market.Orders.Get(r.Context(), by, id); unknown == nil && o.Met() && o.Seller == by.ID {
			err = nil
		}
	}
	if err != nil {
		return p.RetryForm(w, r, p.orderForm("Confirm the hand-over", *handoverForm(id), id), err)
	}
	flash := "handed_over"
	if o.Settlement == order.Direct {
		flash = "handed_direct"
	}
	return p.Redirect(w, r, orderPath+"?id="+id.String(), web.AboutOrder(flash, id))
}

// nextAtMeeting says what happens next where people meet; "" if the next step is at the desk.
func (v orderView) nextAtMeeting(mode meeting.Mode, lang user.Lang, format func(money.Amount) string) string {
	total, price := format(v.Total()), format(v.Price)
	next, _ := mode.Next(v.Order, v.Meeting)
	switch {
	case next.What == order.Settle && v.Status == order.Placed:
		return v.nextSettlement(lang, total, price)
	case v.Settlement == order.Direct && (next.What == order.ProposeMeeting || next.What == order.Meet) && v.viewer() != 0:
		return v.nextDirect(next.What, lang, price)
	case next.What == order.ProposeMeeting && v.Selling:
		return web.Translate(lang, "Agree with the buyer on where and when to meet. We pay you %s once you have typed the buyer’s code.", price)
	case next.What == order.ProposeMeeting && v.Buying:
		return web.Translate(lang, "Agree with the seller on where and when to meet. You are charged %s only after you have checked the book and shown your code.", total)
	case next.What == order.ProposeMeeting || next.What == order.AcceptMeeting && v.Admin:
		return web.Translate(lang, "The buyer and the seller agree on where and when to meet.")
	case next.What == order.AcceptMeeting && v.Meeting.By == v.viewer():
		return web.Translate(lang, "The other side has not accepted your proposal yet.")
	case next.What == order.AcceptMeeting:
		return web.Translate(lang, "Accept the proposal, or propose something else.")
	case next.What == order.Meet && v.Selling:
		return web.Translate(lang, "Meet the buyer, and type the code that the buyer shows: we then charge the buyer and pay you %s.", price)
	case next.What == order.Meet && v.Buying:
		return web.Translate(lang, "Meet the seller and check the book. Only if it is as described, show the code: you are then charged %s.", total)
	case next.What == order.Meet:
		return web.Translate(lang, "The buyer and the seller meet. The seller types the code that the buyer shows.")
	}
	return v.nextFromAdmin(mode, lang, total, price)
}

// nextSettlement says what follows after a hand-over.
func (v orderView) nextSettlement(lang user.Lang, total, price string) string {
	switch {
	case v.Selling:
		return web.Translate(lang, "You have handed over the book. We charge the buyer next, and then pay you %s.", price)
	case v.Buying:
		return web.Translate(lang, "You have the book. We charge you %s next.", total)
	}
	return web.Translate(lang, "The book was handed over in person. Charge the buyer %s, and pay the seller %s.", total, price)
}

// nextDirect says to buyer or seller what to do where the buyer pays the seller.
func (v orderView) nextDirect(what order.Task, lang user.Lang, price string) string {
	switch {
	case what == order.ProposeMeeting && v.Selling:
		return web.Translate(lang, "Agree with %s on where and when to meet. They pay you %s when you meet.", v.BuyerParty.FirstName, price)
	case what == order.ProposeMeeting:
		return web.Translate(lang, "Agree on where and when to meet, check the book, and pay %s %s when you meet.", v.SellerParty.FirstName, price)
	case v.Selling:
		return web.Translate(lang, "Meet %s, who pays you %s when you meet. Then type the code that the buyer shows.", v.BuyerParty.FirstName, price)
	}
	return web.Translate(lang, "Check the book. Only if it is as described, show the code and pay %s %s when you meet.", v.SellerParty.FirstName, price)
}

// nextFromAdmin says what follows after an admin has charged the buyer where there is no desk.
func (v orderView) nextFromAdmin(mode meeting.Mode, lang user.Lang, total, price string) string {
	switch {
	case mode.HasDesk() && !v.Met() || v.Status != order.Verified:
		return ""
	case v.Selling:
		return web.Translate(lang, "The buyer has been charged. We complete the sale and pay you %s.", price)
	case v.Buying:
		return web.Translate(lang, "You have been charged %s. We complete the sale.", total)
	}
	return web.Translate(lang, "The buyer has been charged. Pay the seller %s to complete the sale.", price)
}

// viewer is the side of the order that looks at the page; 0 for an admin.
func (v orderView) viewer() user.ID {
	switch {
	case v.Buying:
		return v.Buyer
	case v.Selling:
		return v.Seller
	}
	return 0
}
