package web

import (
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/order"
)

// StepText says what has happened, in other words if buyer and seller have met.
func StepText(o market.OrderView, s order.Step) string {
	switch {
	case s == order.StepDelivered && o.Settlement == order.Direct:
		return "Sale completed"
	case o.Met() && s == order.StepVerified:
		return "Buyer charged"
	case o.Met() && s == order.StepDelivered:
		return "Seller paid"
	}
	return stepTexts[s]
}

var stepTexts = map[order.Step]string{
	order.StepPlaced: "Ordered", order.StepVerified: "Condition verified, buyer charged", order.StepDelivered: "Handed over, seller paid",
	order.StepHandedOver: "Handed over in person", order.StepCancelled: "Cancelled", order.StepRefunded: "Buyer refunded",
}
