package pairs_test

import (
	"context"

	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/desk"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/offer"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/must"
)

// who may call an operation: the values of x-who in the document of the API.
type who string

const (
	student who = "user"
	admin   who = "admin"
	owner   who = "owner"
)

// action is something that changes the market, and who may do it.
type action struct {
	name    string
	ops     []string // operations of the API that do it
	pages   []string // pages that do it, by their paths
	who     who
	parties []party // who of these may; nil: everybody
	never   []party // who may not, because it is an affair of their own
	keyed   bool    // repeated with its idempotency key, it gives the same answer
	// do acts with what was read before. Without it the row says only who may.
	do func(context.Context, *world) error
	// kept returns what is missing of an act that was answered with success.
	kept func(*world) string
}

var (
	bothSides = []party{seller, buyer}
	listing   = []party{seller, reporter} // the parties of a book that is reported and not sold
)

var actions = []action{
	{
		name: "posts a book", ops: []string{"postBook", "postBooks", "importBooks"}, pages: []string{"/sell", "/mine/import", "/mine/import/start", "/courses/sell"}, who: student, keyed: true,
		do: func(ctx context.Context, w *world) error {
			return must.Err(w.Listings.PostWithKey(ctx, w.actor, w.key, contract.Draft("Posted", "CSC 172", 1000)))
		},
		kept: (*world).keptPost,
	},
	{
		name: "changes a price", ops: []string{"updateBook"}, pages: []string{"/sell"}, who: student, parties: []party{seller},
		do: func(ctx context.Context, w *world) error {
			price := w.listed.Price + 100
			return must.Err(w.Listings.Update(ctx, w.actor, w.listed.ID, book.Patch{Price: &price}))
		},
		kept: func(w *world) string { return w.keptPrice(w.listed.ID, w.listed.Price+100) },
	},
	{
		name: "takes an own book off sale", ops: []string{"deleteBook"}, pages: []string{"/mine/unlist"}, who: student, parties: []party{seller},
		do: func(ctx context.Context, w *world) error {
			return must.Err(w.Listings.Unlist(ctx, w.actor, w.listed.ID))
		},
		kept: func(w *world) string { return w.keptStatus(w.listed.ID, book.Unlisted) },
	},
	{
		name: "puts an own book on sale again", ops: []string{"reactivateBook"}, pages: []string{"/mine/relist"}, who: student, parties: []party{seller},
		do:   func(ctx context.Context, w *world) error { return must.Err(w.Listings.Relist(ctx, w.actor, w.off.ID)) },
		kept: func(w *world) string { return w.keptStatus(w.off.ID, book.ForSale) },
	},
	{
		name: "requests a book", ops: []string{"requestBook", "requestCourseBooks", "requestSavedSearch"}, pages: []string{"/wanted", "/courses/request", "/searches/request"}, who: student, keyed: true,
		do: func(ctx context.Context, w *world) error {
			return must.Err(w.Requests.AddWithKey(ctx, w.actor, w.key, book.RequestDraft{Name: "Wanted", Course: "MTH 161"}))
		},
		kept: (*world).keptRequest,
	},
	{
		name: "saves a search", ops: []string{"saveSearch"}, pages: []string{"/searches"}, who: student, keyed: true,
		do: func(ctx context.Context, w *world) error {
			return must.Err(w.SavedSearches.SaveWithKey(ctx, w.actor, w.key, savedsearch.Draft{Query: "topology"}, true))
		},
		kept: (*world).keptSearch,
	},
	{
		name: "puts a book into the cart", ops: []string{"addToCart"}, pages: []string{"/cart/add"}, who: student, never: []party{seller},
		do: func(ctx context.Context, w *world) error { return w.Carts.Add(ctx, w.actor, w.listed.ID) },
	},
	{
		name: "buys a book", ops: []string{"checkoutCart"}, pages: []string{"/cart/buy"}, who: student, never: []party{seller}, keyed: true,
		do: func(ctx context.Context, w *world) error {
			total := w.listed.Price + w.Checkout.Fee(w.listed.Price)
			r, err := w.Checkout.Do(ctx, w.actor, buying.Basket{Books: []book.ID{w.listed.ID}, Total: &total, Key: w.key})
			w.receipt = r
			return err
		},
		kept: (*world).keptPurchase,
	},
	{
		name: "makes an offer", ops: []string{"makeOffer"}, pages: []string{"/offers/make"}, who: student, never: []party{seller},
		do: func(ctx context.Context, w *world) error {
			_, err := w.Offers.Make(ctx, w.actor, w.reported.ID, w.reported.Price-100, "Today?")
			return err
		},
	},
	{
		name: "answers an offer", ops: []string{"answerOffer"}, pages: []string{"/offers/accept", "/offers/decline", "/offers/counter"}, who: student, parties: []party{seller},
		do: func(ctx context.Context, w *world) error {
			_, err := w.Offers.Answer(ctx, w.actor, w.offer, offer.Reply{Answer: offer.Accept})
			return err
		},
	},
	{
		name: "withdraws an offer", ops: []string{"withdrawOffer"}, pages: []string{"/offers/withdraw"}, who: student, parties: []party{reporter},
		do: func(ctx context.Context, w *world) error {
			_, err := w.Offers.Withdraw(ctx, w.actor, w.offer)
			return err
		},
	},
	{
		name: "cancels an own sale or purchase", ops: []string{"cancelOrder"}, pages: []string{"/order/cancel"}, who: student, parties: bothSides,
		do: func(ctx context.Context, w *world) error {
			return must.Err(w.Orders.Withdraw(ctx, w.actor, w.placed.Orders[0].ID, "Changed my mind."))
		},
		kept: func(w *world) string { return w.notStatus(w.placedBook, book.Bought) },
	},
	{
		name: "writes a first message", ops: []string{"sendMessage"}, pages: []string{"/conversation"}, who: student, never: []party{seller},
		do: func(ctx context.Context, w *world) error {
			m, err := w.Conversations.Send(ctx, w.actor, talking.Addressee{Book: w.reported.ID}, "Is it still there?")
			w.talk = m.Conversation
			return err
		},
		kept: (*world).keptMessage,
	},
	{
		name: "answers a message", ops: []string{"sendMessage"}, pages: []string{"/conversation"}, who: student, parties: bothSides,
		do: func(ctx context.Context, w *world) error {
			m, err := w.Conversations.Send(ctx, w.actor, talking.Addressee{Conversation: w.chat}, "See you at noon.")
			w.talk = m.Conversation
			return err
		},
		kept: (*world).keptMessage,
	},
	{
		name: "blocks somebody", ops: []string{"blockUser", "unblockUser"}, pages: []string{"/conversation/block", "/conversation/unblock"}, who: student,
		do: func(ctx context.Context, w *world) error { return w.Blocks.Block(ctx, w.actor, w.other().ID) },
	},
	{
		name: "reports a book", ops: []string{"report"}, pages: []string{"/report", "/order/problem"}, who: student, never: []party{seller},
		do: func(ctx context.Context, w *world) error {
			id, err := w.Reports.Add(ctx, w.actor, guarding.ReportDraft{Targets: []report.Target{{Kind: report.Book, ID: int64(w.listed.ID)}}, Reason: report.Wrong, Text: "Wrong."})
			w.added = id
			return err
		},
		kept: (*world).keptReport,
	},
	{
		name: "rates a sale", ops: []string{"rateOrder"}, pages: []string{"/order/rate"}, who: student, parties: bothSides,
		do: func(ctx context.Context, w *world) error {
			return w.Trust.Rate(ctx, w.actor, w.delivered.Orders[0].ID, true, "As described.")
		},
	},
	{
		name: "confirms a book", ops: []string{"confirmBook"}, pages: []string{"/dashboard/orders/confirm", "/dashboard/orders/review"}, who: admin, never: bothSides,
		do: func(ctx context.Context, w *world) error {
			return must.Err(w.Orders.Confirm(ctx, w.actor, w.placedBook))
		},
		kept: func(w *world) string { return w.keptStatus(w.placedBook, book.Verified) },
	},
	{
		name: "pays a seller", ops: []string{"setBookPaid"}, pages: []string{"/dashboard/orders/pay"}, who: admin, never: bothSides,
		do: func(ctx context.Context, w *world) error {
			return must.Err(w.Orders.SetPaid(ctx, w.actor, w.verifiedBook))
		},
		kept: func(w *world) string { return w.keptStatus(w.verifiedBook, book.Delivered) },
	},
	{
		name: "settles a sale", ops: []string{"settleOrder"}, pages: []string{"/dashboard/orders/settle"}, who: admin, never: bothSides,
		do:   func(ctx context.Context, w *world) error { return must.Err(w.Orders.Settle(ctx, w.actor, w.metBook)) },
		kept: func(w *world) string { return w.keptStatus(w.metBook, book.Delivered) },
	},
	{
		name: "confirms a hand-over", ops: []string{"confirmHandover"}, pages: []string{"/order/handover"}, who: student, parties: []party{seller},
		do: func(ctx context.Context, w *world) error {
			return must.Err(w.Meetings.Confirm(ctx, w.actor, w.agreed.Orders[0].ID, string(w.code)))
		},
		kept: func(w *world) string { return w.keptStatus(w.agreedBook, book.Bought) }, // an admin moves the money
	},
	{
		name: "refunds a buyer", ops: []string{"cancelTransaction"}, pages: []string{"/dashboard/orders/cancel"}, who: admin, never: bothSides,
		do: func(ctx context.Context, w *world) error {
			return must.Err(w.Orders.Cancel(ctx, w.actor, w.verifiedBook, "Damaged."))
		},
		kept: func(w *world) string { return w.notStatus(w.verifiedBook, book.Verified) },
	},
	{
		name: "takes a book off sale", pages: []string{"/dashboard/books/unlist"}, who: admin, never: listing,
		do: func(ctx context.Context, w *world) error {
			all, err := w.BookAdmin.Unlist(ctx, w.actor, []book.ID{w.reported.ID}, "Not allowed.")
			for _, one := range all {
				err = one.Err
			}
			if len(all) == 0 && err == nil {
				err = book.ErrNotFound
			}
			return err
		},
		kept: func(w *world) string { return w.keptStatus(w.reported.ID, book.Unlisted) },
	},
	{
		name: "puts a book on sale again", pages: []string{"/dashboard/books/relist"}, who: admin, never: []party{seller},
		do:   func(ctx context.Context, w *world) error { return w.BookAdmin.Relist(ctx, w.actor, w.held.ID) },
		kept: func(w *world) string { return w.keptStatus(w.held.ID, book.ForSale) },
	},
	decides("dismisses a report", report.Dismiss),
	decides("warns of a report", report.Warn),
	decides("unlists what was reported", report.Unlist),
	decides("suspends who was reported", report.Suspend),
	{
		name: "saves a place to meet", ops: []string{"savePlace", "removePlace"}, pages: []string{"/dashboard/places", "/dashboard/places/remove"}, who: admin,
		do: func(ctx context.Context, w *world) error {
			return must.Err(w.Meetings.SavePlace(ctx, w.actor, meeting.Place{University: here, Spot: meeting.Spot{Name: "The library", Hours: "Always"}}))
		},
	},
	{
		name: "saves a desk", pages: []string{"/dashboard/desks", "/dashboard/desks/remove"}, who: admin,
		do: func(ctx context.Context, w *world) error {
			return w.Desks.Save(ctx, w.actor, desk.Desk{University: here, Place: "The library", Hours: "Always"})
		},
	},
	{
		name: "tidies old listings", ops: []string{"deactivateBooks"}, pages: []string{"/dashboard/tidy"}, who: owner,
		do: func(ctx context.Context, w *world) error {
			return must.Err(w.ExpireListings.Do(ctx, w.actor, 365, false))
		},
	},

	// These change only what is the caller's own, or files.
	{name: "changes photos", ops: []string{"addPhoto", "removePhoto"}, pages: []string{"/book/photos", "/book/photos/remove", "/book/photos/move", "/book/photos/turn", "/book/photos/crop"}, who: student},
	{name: "previews a listing", pages: []string{"/sell/preview"}, who: student},
	{name: "changes or ends an import", pages: []string{"/mine/import/cancel", "/mine/import/columns", "/mine/import/correct"}, who: student},
	{name: "deletes a request", ops: []string{"deleteRequest"}, pages: []string{"/wanted/withdraw"}, who: student},
	{name: "changes a search", ops: []string{"deleteSavedSearch", "setSearchMail"}, pages: []string{"/searches/delete", "/searches/mail", "/searches/stop"}, who: student},
	{name: "chooses courses", ops: []string{"setMyCourses"}, pages: []string{"/courses/add", "/courses/remove"}, who: student},
	{name: "empties the cart", ops: []string{"removeFromCart", "clearCart"}, pages: []string{"/cart/remove", "/cart/clear"}, who: student},
	{
		name: "is pushed notifications", ops: []string{"addPushSubscription", "removePushSubscription"}, pages: []string{"/notifications/quiet"}, who: student,
	},
	{name: "reads notifications", ops: []string{"markNotificationsRead"}, pages: []string{"/notifications/read"}, who: student},
	{name: "meets", ops: []string{"proposeMeeting", "acceptMeeting"}, pages: []string{"/order/meeting", "/order/meeting/accept"}, who: student},
	{name: "imports courses", ops: []string{"importCourses", "removeCourseList"}, pages: []string{"/dashboard/courses", "/dashboard/courses/remove"}, who: admin},
	{name: "changes roles", ops: []string{"makeAdmin", "revokeAdmin", "setStore"}, who: owner},
}

func decides(name string, a report.Action) action {
	return action{
		name: name, ops: []string{"resolveReport"}, pages: []string{"/dashboard/reports/decide"}, who: admin, never: listing,
		do: func(ctx context.Context, w *world) error {
			return must.Err(w.Moderation.Resolve(ctx, w.actor, w.report, a, "Because."))
		},
		kept: func(w *world) string {
			if w.isOpen(w.report) {
				return "the report is open"
			}
			return ""
		},
	}
}
