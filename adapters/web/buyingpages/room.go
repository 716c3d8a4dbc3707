// Package buyingpages has the pages of buyers and those who hand over: carts, orders, offers, meetings, desks and ratings.
package buyingpages

import "github.com/octavo-books/octavo/adapters/web"

// Pages serves the pages of this room. It knows no other room.
type Pages struct{ *web.Pages }

// Features returns what the pages of this room bring.
func Features(site *web.Pages) []web.Feature {
	p := &Pages{site}
	return []web.Feature{
		p.cartPages(), p.orderPages(), p.orderActionPages(), p.queuePages(), p.transactionPages(), p.deskPages(),
		p.placePages(), p.meetingPages(), p.ratingPages(), p.offerPages(),
	}
}
