package buyingpages

import (
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
)

// orderRow is what lists for staff show of an order. It has neither embedded structs nor methods: templates find both slowly, and a
// list has many of them.
type orderRow struct {
	ID                                                            order.ID
	Code                                                          order.Code
	Book                                                          book.ID
	Name, Reason, Refusal                                         string // why the viewer may not decide; "": they may
	Status                                                        order.Status
	Price, Fee, Total                                             money.Amount
	CreatedAt, VerifiedAt, HandedOverAt, DeliveredAt, CancelledAt time.Time
	Reported                                                      bool // a problem, on which no admin has decided
	Met, WaitsForSettlement                                       bool
	Meeting                                                       *meeting.Proposal
	SellerParty, BuyerParty                                       market.Party
	Days                                                          int // it has waited
}

// rowsOf returns the rows of orders.
func rowsOf(all []web.Decidable) []orderRow {
	rows := make([]orderRow, len(all))
	for i := range all {
		o := &all[i]
		rows[i] = orderRow{
			ID: o.ID, Code: o.ID.Code(), Book: o.Book, Name: o.Name, Reason: o.Reason, Refusal: o.Refusal, Status: o.Status, Price: o.Price, Fee: o.Fee, Total: o.Total(),
			CreatedAt: o.CreatedAt, VerifiedAt: o.VerifiedAt, HandedOverAt: o.HandedOverAt, DeliveredAt: o.DeliveredAt, CancelledAt: o.CancelledAt,
			Met: o.Met(), WaitsForSettlement: o.WaitsForSettlement(), Meeting: o.Meeting, SellerParty: o.SellerParty, BuyerParty: o.BuyerParty,
		}
	}
	return rows
}
