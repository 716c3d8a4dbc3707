package buyingpages

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// queuePages is what waits for staff, and many orders at once.
func (p *Pages) queuePages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(web.QueuePath, p.ForAdmins(p.queue)).InMenu(20, "Work queue", ""),
			web.Get(ordersPath+"/review", p.ForAdmins(p.review)).With("order={placed}"), web.Post(ordersPath+"/review", p.ForAdmins(p.confirmAll)),
		},
		Flashes: map[string]string{"nothing_chosen": "Tick the books that you have checked."},
	}
}

// queueView is the work queue of admins.
type queueView struct {
	Stage string // of the orders: "check", "settle" or "handover"
	buying.Queue
	Waits   web.Waiting
	Waiting []orderRow
	More    string
	Most    int
}

// CountedWaiting is what the sidebar counts, too.
func (v queueView) CountedWaiting() web.Waiting { return v.Waits }

// Tabs are the lists of what waits.
func (v queueView) Tabs() []web.QueueTab { return v.Waits.Tabs(v.Stage) }

// Checking reports whether these are the orders to check.
func (v queueView) Checking() bool { return v.Stage == "check" }

// stageOf reads which orders of the queue are wanted. The tabs of check and hand-over are called
// by the status of their orders.
func stageOf(r *http.Request) (buying.Stage, string, error) {
	switch status := order.Status(web.StatusOf(r, int(order.Placed))); {
	case r.URL.Query().Get("stage") == "settle":
		return buying.ToSettle, "settle", nil
	case status == order.Placed:
		return buying.ToCheck, "check", nil
	case status == order.Verified:
		return buying.ToHandOver, "handover", nil
	}
	return 0, "", market.ErrStatus
}

// queue serves GET /dashboard/orders/queue?status=, or ?stage=settle: what waits longest is first.
func (p *Pages) queue(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	stage, name, err := stageOf(r)
	if err != nil {
		return err
	}
	q, next, err := p.Market.Orders.Queue(r.Context(), by, stage, web.StaffPageOf(r))
	if err != nil {
		return err
	}
	ruling, err := p.RulingFor(r, by)
	if err != nil {
		return err
	}
	v := queueView{Stage: name, Queue: q, Waits: p.WaitingFor(r, by), More: web.NextLink(r, next), Most: market.MaxBulk}
	now := p.Market.Clock.Now()
	v.Waiting = rowsOf(ruling.Orders(q.Orders))
	reported, err := p.reportedAmong(r, by, v.Waiting)
	if err != nil {
		return err
	}
	for i, o := range v.Waiting {
		v.Waiting[i].Reported = slices.Contains(reported, o.ID)
		v.Waiting[i].Days = int(now.Sub(latestOf(o.CreatedAt, o.HandedOverAt, o.VerifiedAt)) / (24 * time.Hour))
	}
	return p.Show(w, r, http.StatusOK, "queue", "Work queue", v)
}

// reportedAmong returns those of the orders with which somebody has reported a problem that is open.
func (p *Pages) reportedAmong(r *http.Request, by user.Caller, rows []orderRow) ([]order.ID, error) {
	ids := make([]order.ID, len(rows))
	for i, o := range rows {
		ids[i] = o.ID
	}
	return p.Market.Problems.ListReported(r.Context(), by, ids...)
}

// latestOf returns the latest of some times.
func latestOf(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// reviewView lists orders before, or after, they are confirmed together.
type reviewView struct {
	Done      bool
	Lines     []reviewLine
	Total     string
	Confirmed int
}

// reviewLine is an order of the list with its result, or the reason why it cannot be confirmed.
type reviewLine struct {
	market.OrderView
	Ready bool   // it can be confirmed
	Text  string // the result
}

// review serves GET /dashboard/orders/review?order=…: the list to read before anything is charged.
func (p *Pages) review(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	orders, err := p.Market.Orders.Review(r.Context(), by, orderIDs(r.URL.Query()))
	if err != nil {
		return err
	}
	if len(orders) == 0 {
		return p.Redirect(w, r, web.QueuePath, "nothing_chosen")
	}
	ruling, err := p.RulingFor(r, by)
	if err != nil {
		return err
	}
	lang := web.LangOf(r)
	v := reviewView{}
	var sum money.Amount
	for _, o := range ruling.Orders(orders) {
		line := reviewLine{OrderView: o.OrderView, Ready: o.Waits() && o.Refusal == ""}
		switch {
		case line.Ready:
			sum += o.Total()
			v.Confirmed++
		case o.Waits():
			line.Text = o.Refusal
		default:
			line.Text = web.Translate(lang, "It no longer waits for the check, so it is left out.")
		}
		v.Lines = append(v.Lines, line)
	}
	v.Total = p.FormatIn(lang).Money(sum)
	return p.Show(w, r, http.StatusOK, "review", "Charge several buyers", v)
}

// confirmAll serves POST /dashboard/orders/review. Pressing it twice charges nobody twice.
func (p *Pages) confirmAll(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	done, err := p.Market.Orders.ConfirmAll(r.Context(), by, orderIDs(r.PostForm))
	if err != nil {
		return err
	}
	lang := web.LangOf(r)
	v := reviewView{Done: true}
	for _, c := range done {
		line := reviewLine{OrderView: c.Order, Ready: c.Err == nil}
		switch {
		case c.Err == nil:
			v.Confirmed++
			line.Text = web.Translate(lang, "The condition is verified and the buyer has been charged.")
		case c.Order.Status == order.Cancelled:
			line.Text = web.Translate(lang, "Not charged: the order was cancelled.")
		case c.Order.Status == order.Verified || c.Order.Status == order.Delivered:
			line.Text = web.Translate(lang, "Not charged again: it was confirmed before.")
		default:
			line.Text = web.ErrorMessage(lang, c.Err)
		}
		v.Lines = append(v.Lines, line)
	}
	return p.Show(w, r, http.StatusOK, "review", "Charge several buyers", v)
}

func orderIDs(values url.Values) []order.ID {
	ids := make([]order.ID, 0, len(values["order"]))
	for _, text := range values["order"] {
		ids = append(ids, web.IDOf[order.ID](text))
	}
	return ids
}
