package buyingpages

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// meetingPages has the forms with which the sides of an order agree on a meeting and confirm it.
func (p *Pages) meetingPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Post(meetingPath, p.ForStudents(p.proposeMeeting)).
				Restores(web.Restored("Propose where and when to meet", web.Form{Button: "Propose", Fields: []web.Field{{Name: "at", Label: "Date and time", Type: "datetime-local"}}})),
			web.Post(acceptMeetingPath, p.ForStudents(p.acceptMeeting)),
			web.Post(handoverPath, p.ForStudents(p.confirmHandover)).Restores(web.Restored("Confirm the hand-over", *handoverForm(0, ""))),
		},
		Flashes: map[string]string{
			"meet_proposed": "Your proposal is sent. We tell you about the answer.",
			"meet_accepted": "You have agreed on where and when to meet.",
			"handed_over":   "The book is handed over. We charge the buyer next, and then pay you.",
			"handed_direct": "The book is handed over. The buyer pays you directly.",
			"order_moved":   "The order has changed meanwhile, so nothing was done. This is how it is now.",
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
	Past              bool   // its time has passed
	CanAccept         bool
	Code              meeting.Code  // for the buyer
	QRCode            template.HTML // of the code
	Confirm           *handoverView // for the seller; nil: not now
	MayPropose        bool
	Asks              bool // to propose is what the viewer does next
	Places            []placeTimes
	Otherwise         *web.Form // proposes another place or time; nil: not now
	NoPlaces          bool      // nobody has entered a place yet
	NoZone            bool      // nobody has set the time zone of the campus
}

// handoverView is the form with which the seller confirms the hand-over.
type handoverView struct {
	Code meeting.Code // from the link that the buyer's picture leads to; "": it is typed
	From time.Time    // when it begins to count
	Soon bool         // it does not count yet
}

// meetingOf returns what the page of an order shows of its meeting; nil where there is none.
func (p *Pages) meetingOf(r *http.Request, by user.Caller, v orderView) (*meetingView, error) {
	waits := v.Waits() && p.Market.Meetings.Mode().Meets()
	if v.Abandoned() || v.Meeting == nil && (!waits || v.Admin) || !waits && !v.Met() {
		return nil, nil
	}
	m := &meetingView{Proposal: v.Meeting, Over: !waits}
	if v.Meeting != nil {
		m.ByName, m.Agreed = v.NameOf(v.Meeting.By), v.Meeting.State == meeting.Accepted
		m.Past = waits && p.Clock.Now().After(v.Meeting.At)
	}
	if !waits || v.Admin {
		return m, nil
	}
	if err := p.addCode(r, by, v, m); err != nil {
		return nil, err
	}
	m.CanAccept = m.Proposal != nil && !m.Agreed && m.By != by.ID && !m.Past
	return m, p.addTimes(r, by, v, m)
}

// addCode adds the code that the buyer shows, or the form for the seller's side of it.
func (p *Pages) addCode(r *http.Request, by user.Caller, v orderView, m *meetingView) error {
	if m.Agreed && v.Selling {
		typed, _ := meeting.ParseCode(r.URL.Query().Get("code"))
		m.Confirm = &handoverView{Code: typed, From: m.CodeFrom(), Soon: p.Clock.Now().Before(m.CodeFrom())}
	}
	if m.Code = p.Market.Meetings.CodeFor(by, v.OrderView); m.Code == "" || p.DrawQRCode == nil {
		return nil
	}
	text := string(m.Code)
	if p.BaseURL != "" {
		text = p.BaseURL + orderPath + "?" + url.Values{"id": {v.ID.String()}, "code": {text}}.Encode()
	}
	drawn, err := p.DrawQRCode(text)
	m.QRCode = template.HTML(drawn) //nolint:gosec // our own
	return err
}

func handoverForm(id order.ID, hint string) *web.Form {
	return &web.Form{Action: handoverPath, Button: "Confirm the hand-over", Hidden: []web.Hidden{{Name: "id", Value: id.String()}}, Fields: []web.Field{
		{Name: "code", Label: "The code that the buyer shows", Max: 20, Autocomplete: "off", Hint: hint},
	}}
}

// proposeMeeting serves POST /order/meeting. A time that the page has offered comes with its place.
func (p *Pages) proposeMeeting(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := web.IDOf[order.ID](r.PostForm.Get("id"))
	place, at := p.proposedTime(r.PostForm)
	_, err := p.Market.Meetings.Propose(r.Context(), by, id, place, at)
	if err == nil {
		return p.Redirect(w, r, orderPath+"?id="+id.String(), web.AboutOrder("meet_proposed", id))
	}
	if hasMoved(err) {
		return p.showMoved(w, r, id)
	}
	places, unknown := p.Market.Meetings.PlacesOf(r.Context(), by, id)
	if unknown != nil {
		return unknown
	}
	return p.RetryForm(w, r, p.orderForm("Propose where and when to meet", *p.proposalForm(web.LangOf(r), id, places), id), err)
}

// hasMoved reports whether an order, or what was proposed, is no longer as the page has shown it.
func hasMoved(err error) bool {
	return errors.Is(err, order.ErrTransition) || errors.Is(err, meeting.ErrSuperseded) || errors.Is(err, meeting.ErrPast) || errors.Is(err, meeting.ErrNotAccepted)
}

// showMoved shows the order as it is now.
func (p *Pages) showMoved(w http.ResponseWriter, r *http.Request, id order.ID) error {
	return p.Redirect(w, r, orderPath+"?id="+id.String(), web.AboutOrder("order_moved", id))
}

// orderForm is a form of the page of an order on a page of its own, with its errors.
func (p *Pages) orderForm(head string, f web.Form, id order.ID) web.FormView {
	return web.FormView{Head: head, Form: f, Links: []web.Option{{Value: orderPath + "?id=" + id.String(), Label: "Back to the order"}}}
}

// acceptMeeting serves POST /order/meeting/accept.
func (p *Pages) acceptMeeting(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	o, err := p.Market.Meetings.Accept(r.Context(), by, web.IDOf[meeting.ID](r.PostForm.Get("id")))
	if of := web.IDOf[order.ID](r.PostForm.Get("order")); of != 0 && hasMoved(err) {
		return p.showMoved(w, r, of)
	}
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
	switch {
	case hasMoved(err):
		return p.showMoved(w, r, id)
	case err != nil:
		return p.RetryForm(w, r, p.orderForm("Confirm the hand-over", *handoverForm(id, p.countsFrom(web.LangOf(r), err)), id), withoutTime(err))
	}
	flash := "handed_over"
	if o.Settlement == order.Direct {
		flash = "handed_direct"
	}
	return p.Redirect(w, r, orderPath+"?id="+id.String(), web.AboutOrder(flash, id))
}

// withoutTime is the refusal of an early code without the time, which the form says as people read it.
func withoutTime(err error) error {
	if errors.Is(err, meeting.ErrEarly) {
		return meeting.ErrEarly
	}
	return err
}

// countsFrom says from when on a code counts, to somebody who was too early; "" to others.
func (p *Pages) countsFrom(lang user.Lang, err error) string {
	refusal := fault.As(err)
	if refusal == nil || !errors.Is(err, meeting.ErrEarly) {
		return ""
	}
	from, wrong := time.Parse(time.RFC3339, refusal.Details["from"])
	if wrong != nil {
		return ""
	}
	return web.Translate(lang, "It counts from %s on.", p.When(lang, from))
}
