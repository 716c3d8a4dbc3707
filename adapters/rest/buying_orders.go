package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// CancelOrder serves POST /api/books/cancelOrder.
func (h *Handler) CancelOrder(ctx context.Context, r restgen.CancelOrderRequestObject) (restgen.CancelOrderResponseObject, error) {
	o, err := h.Orders.Withdraw(ctx, callerOf(ctx), idOf[order.ID](r.Body.OrderId), r.Body.Reason)
	return reply[restgen.CancelOrder200JSONResponse](ctx, h, o, err, h.orderDetailsOf)
}

// GetOrders serves GET /api/user/getOrders.
func (h *Handler) GetOrders(ctx context.Context, r restgen.GetOrdersRequestObject) (restgen.GetOrdersResponseObject, error) {
	p := r.Params
	filter := buying.OwnOrders{Side: sideOf(p.Role), Status: (*order.Status)(p.Status)}
	orders, next, err := h.Orders.ListOwn(ctx, callerOf(ctx), filter, pageOf(p.Limit, p.Cursor))
	return replyPage[restgen.GetOrders200JSONResponse](ctx, h, orders, next, err, h.orderDetailsOf)
}

// The sides of an order on the wire.
const (
	buyer  = "buyer"
	seller = "seller"
)

var sideNames = map[order.Side]string{
	order.BuyerSide: buyer, order.SellerSide: seller, order.EitherSide: "either", order.AdminSide: "admin",
}

func sideOf(role *string) order.Side {
	switch valueOr(role, "") {
	case buyer:
		return order.BuyerSide
	case seller:
		return order.SellerSide
	}
	return order.EitherSide
}

// GetOrder serves GET /api/user/getOrder/:id.
func (h *Handler) GetOrder(ctx context.Context, r restgen.GetOrderRequestObject) (restgen.GetOrderResponseObject, error) {
	o, err := h.Orders.Get(ctx, callerOf(ctx), idOf[order.ID](r.Id))
	if err != nil {
		return nil, err
	}
	out := h.meetingOrderOf(ctx, o)
	if callerOf(ctx).Oversees(o.University) {
		admins := h.adminOrderOf(o.OrderView)
		out.Charge, out.Pay = admins.Charge, admins.Pay
	}
	steps := convertAll(o.Timeline(), func(m order.Moment) restgen.OrderStep {
		return restgen.OrderStep{At: m.At.UTC(), Step: string(m.Step), By: byOf(o.OrderView, m.By)}
	})
	out.Timeline = &steps
	return restgen.GetOrder200JSONResponse(respond(ctx, h, out)), nil
}

func (h *Handler) orderDetailsOf(o buying.OrderDetails) restgen.Order {
	out, about := h.orderOf(o.OrderView), h.bookOf(o.About)
	out.Book = &about
	return out
}

// cancellerOf returns who has cancelled an order; nil: nobody.
func cancellerOf(v market.OrderView) *wire.Canceller {
	switch v.CancelledBy {
	case 0:
		return nil
	case order.System:
		return wire.BySystem()
	}
	return &wire.Canceller{ID: v.CancelledBy.String(), FirstName: v.NameOf(v.CancelledBy)}
}

// handoverOf returns how a book was handed over, nil if it was not.
func handoverOf(v market.OrderView) *restgen.Handover {
	if v.Handover == order.NotHandedOver {
		return nil
	}
	return &restgen.Handover{By: v.Handover.String(), At: v.HandedOverAt.UTC()}
}

// adminOrderOf is orderOf with what admins charge and pay, unless the two settle it themselves.
func (h *Handler) adminOrderOf(v market.OrderView) restgen.Order {
	out := h.orderOf(v)
	if v.Live() && v.Settlement == order.Operator {
		out.Charge = &restgen.Charge{Amount: h.money(v.Total()), From: v.BuyerParty.PaymentUsername}
		out.Pay = &restgen.Pay{Amount: h.money(v.Price), To: v.SellerParty.PaymentUsername}
	}
	return out
}

// adminBookOf is bookOf with what admins charge and pay for it.
func (h *Handler) adminBookOf(v market.BookView) restgen.Book {
	b := h.bookOf(v)
	if v.Order != nil {
		o := h.adminOrderOf(*v.Order)
		b.Order = &o
	}
	return b
}

// byOf returns who took a step of an order.
func byOf(v market.OrderView, id user.ID) restgen.Person {
	if id == order.System {
		return restgen.Person{Id: wire.BySystem().ID}
	}
	return restgen.Person{Id: id.String(), FirstName: v.NameOf(id)}
}

// taskOf returns the next task of an order, nil if nothing is left to do.
func (h *Handler) taskOf(v market.OrderView) *restgen.OrderTask {
	next, ok := v.Next(h.Meetings.Mode())
	if !ok {
		return nil
	}
	return &restgen.OrderTask{Who: sideNames[next.Who], What: string(next.What)}
}
