package web

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

type ordersView struct {
	Statuses []order.Status
	Status   order.Status // 0: any
	Search   string
	Orders   []market.OrderView
	More     string
	Here     string
	Export   string
}

var orderStatuses = []order.Status{order.Placed, order.Verified, order.Delivered, order.Cancelled}

// transactions serves GET /dashboard/orders?status=&search=.
func (p *Pages) transactions(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	filter := orderFilterOf(r)
	orders, next, err := p.Market.Orders.ListAll(r.Context(), by, filter, pageOf(r))
	if err != nil {
		return err
	}
	v := ordersView{
		Statuses: orderStatuses, Search: filter.Search, Orders: orders, More: further(r, next),
		Here: r.URL.RequestURI(), Export: "/dashboard/orders.csv?" + filterQuery(r).Encode(),
	}
	if filter.Status != nil {
		v.Status = *filter.Status
	}
	lang := langOf(r)
	p.show(w, r, http.StatusOK, "orders", frame{lang, say(lang, "Transactions"), v})
	return nil
}

func orderFilterOf(r *http.Request) market.OrderFilter {
	f := market.OrderFilter{Search: r.URL.Query().Get("search")}
	if n := statusOf(r, 0); n != 0 {
		f.Status = (*order.Status)(&n)
	}
	return f
}

// noStatus is a number that is the status of nothing.
const noStatus = -1000

// statusOf reads a status out of the address; the other one where there is none.
func statusOf(r *http.Request, otherwise int) int {
	text := r.URL.Query().Get("status")
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return noStatus
	}
	return n
}

func filterQuery(r *http.Request) url.Values {
	return url.Values{"status": {r.URL.Query().Get("status")}, "search": {r.URL.Query().Get("search")}}
}

// exportOrders serves GET /dashboard/orders.csv: it leads to the file, with a
// token that is fresh.
func (p *Pages) exportOrders(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	http.Redirect(w, r, "/api/dashboard/exportTransactions?"+filterQuery(r).Encode(), http.StatusSeeOther)
	return nil
}
