package buyingpages

import (
	"net/url"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// progress is one of the four steps of an order.
type progress struct {
	Label     string
	Done, Now bool
}

// progressOf returns the steps of an order that is not cancelled.
func (v orderView) progressOf(mode meeting.Mode) []progress {
	if !v.Live() {
		return nil
	}
	checked := progress{Label: "Checked", Done: !v.VerifiedAt.IsZero()}
	handed := progress{Label: "Handed over", Done: v.Status == order.Delivered}
	if v.isMeeting(mode) {
		checked = progress{Label: "Meeting agreed", Done: v.Met() || v.Meeting != nil && v.Meeting.State == meeting.Accepted}
		handed.Done = v.Met()
	}
	steps := []progress{{Label: "Bought", Done: true}, checked, handed, {Label: "Completed", Done: v.Status == order.Delivered}}
	for i := range steps {
		if !steps[i].Done {
			steps[i].Now = true
			break
		}
	}
	return steps
}

// isMeeting reports whether buyer and seller meet or have met, as far as one knows.
func (v orderView) isMeeting(mode meeting.Mode) bool {
	if v.Handover != order.NotHandedOver || !mode.Meets() {
		return v.Met()
	}
	return v.Meeting != nil || !mode.HasDesk() || v.Settlement == order.Direct
}

// action is the one thing that the viewer of an order does next.
type action string

// The actions; none if others have to do something, and nobody can be asked.
const (
	proposes action = "propose"
	accepts  action = "accept"
	confirms action = "confirm"
	shows    action = "code"
	rates    action = "rate"
	follows  action = "link"
)

// actionOf returns what the viewer does next, with the link if it is on another page.
func (v orderView) actionOf(lang user.Lang, now time.Time) (action, web.Option) {
	switch m := v.Meet; {
	case v.Admin:
		return v.adminAction()
	case m == nil || m.Over:
	case m.CanAccept:
		return accepts, web.Option{}
	case m.Asks && m.MayPropose:
		return proposes, web.Option{}
	case m.Code != "" && !now.Before(m.CodeFrom()):
		return shows, web.Option{}
	case m.Confirm != nil && !now.Before(m.Confirm.From):
		return confirms, web.Option{}
	}
	id := v.ID.String()
	switch {
	case v.Slip && (v.Selling && v.Status == order.Placed || v.Buying && v.Status == order.Verified):
		return follows, web.Option{Value: orderPath + "/slip?id=" + id, Label: web.Translate(lang, "Print the slip")}
	case v.Rate != nil && !v.Rated:
		return rates, web.Option{}
	case v.Live() && v.Status != order.Delivered && v.OtherSide():
		return follows, web.Option{Value: "/conversation?book=" + v.Book.String(), Label: web.Translate(lang, "Message %s", v.otherParty().FirstName)}
	case v.Buying && !v.Live():
		return follows, web.Option{Value: "/?" + url.Values{"q": {v.Name}}.Encode(), Label: web.Translate(lang, "Find another copy")}
	}
	return "", web.Option{}
}

// adminAction is what an admin who may decide about the order does with it.
func (v orderView) adminAction() (action, web.Option) {
	query := "?" + url.Values{"id": {v.Book.String()}, "sale": {v.ID.String()}, "back": {v.Here}}.Encode()
	switch {
	case v.Refusal != "":
	case v.WaitsForSettlement():
		return follows, web.Option{Value: ordersPath + "/settle" + query, Label: "Settle the sale"}
	case v.Status == order.Placed:
		return follows, web.Option{Value: ordersPath + "/confirm" + query, Label: "Condition verified: charge the buyer"}
	case v.Status == order.Verified:
		return follows, web.Option{Value: ordersPath + "/pay" + query, Label: "Delivered: pay the seller"}
	}
	return "", web.Option{}
}
