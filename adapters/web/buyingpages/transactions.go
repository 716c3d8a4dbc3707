package buyingpages

import (
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// transactionPages lists all orders for staff.
func (p *Pages) transactionPages() web.Feature {
	return web.Feature{Routes: []*web.Route{
		web.Get(ordersPath, p.ForAdmins(p.transactions)).InMenu(30, "Transactions", ""), web.File(ordersPath+".csv", p.ForAdmins(p.exportOrders)),
	}}
}

type transactionsView struct {
	Statuses []order.Status
	Status   order.Status // 0: any
	Search   string
	Short    bool // see IsShort
	Orders   []orderRow
	More     string
	Here     string
	Export   string
}

var orderStatuses = []order.Status{order.Placed, order.Verified, order.Delivered, order.Cancelled}

// transactions serves GET /dashboard/orders?status=&search=.
func (p *Pages) transactions(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	filter := orderFilterOf(r)
	orders, next, err := p.Market.Orders.ListAll(r.Context(), by, filter, web.StaffPageOf(r))
	if err != nil {
		return err
	}
	ruling, err := p.RulingFor(r, by)
	if err != nil {
		return err
	}
	v := transactionsView{
		Statuses: orderStatuses, Search: filter.Search, Short: web.IsShort(filter.Search), Orders: rowsOf(ruling.Orders(orders)), More: web.NextLink(r, next),
		Here: r.URL.RequestURI(), Export: "/dashboard/orders.csv?" + filterQuery(r).Encode(),
	}
	if filter.Status != nil {
		v.Status = *filter.Status
	}
	return p.Show(w, r, http.StatusOK, "transactions", "Transactions", v)
}

func orderFilterOf(r *http.Request) buying.OrderFilter {
	f := buying.OrderFilter{Search: r.URL.Query().Get("search")}
	if n := web.StatusOf(r, 0); n != 0 {
		f.Status = (*order.Status)(&n)
	}
	return f
}

func filterQuery(r *http.Request) url.Values {
	return url.Values{"status": {r.URL.Query().Get("status")}, "search": {r.URL.Query().Get("search")}}
}

// exportOrders serves GET /dashboard/orders.csv: it redirects to the file
// after withViewer has renewed the token; with ?payout to the one whose payment usernames are as
// people have written them, otherwise to the one for a spreadsheet.
func (p *Pages) exportOrders(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	q := filterQuery(r)
	q.Set("for", "spreadsheet")
	if r.URL.Query().Has("payout") {
		q.Set("for", "payout")
	}
	http.Redirect(w, r, "/api/dashboard/exportTransactions?"+q.Encode(), http.StatusSeeOther)
	return nil
}
