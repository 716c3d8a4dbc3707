package market

import (
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// ShownTo removes from each view what the caller may not see of an order: buyer and
// seller see each other's names, and how to reach each other from order.Verified on; until
// then they can exchange messages. Admins of its university see everything, others nothing.
func ShownTo(views []BookView, by user.Caller) []BookView {
	for i := range views {
		views[i] = views[i].ShownTo(by)
	}
	return views
}

// ShownTo removes from the view what a caller may not see of its order, see ShownTo.
func (v BookView) ShownTo(by user.Caller) BookView {
	involved := by.SignedIn() && (by.ID == v.Seller || by.ID == v.Buyer)
	if v.Order == nil || !v.Status.Sold() || !involved && !by.Oversees(v.University) {
		v.Order = nil
		return v
	}
	o := v.Order.ShownTo(by)
	v.Order = &o
	return v
}

// ShownTo removes from the order what a caller may not see.
func (o OrderView) ShownTo(by user.Caller) OrderView {
	if by.Oversees(o.University) {
		return o
	}
	o.BuyerParty, o.SellerParty = o.BuyerParty.shownTo(by, o.Status), o.SellerParty.shownTo(by, o.Status)
	return o
}

// ShownTo removes from one side of an order in a status what only admins may see, or the
// other side not yet.
func (p Party) shownTo(by user.Caller, s order.Status) Party {
	p.PaymentUsername = ""
	if p.ID != by.ID && s < order.Verified {
		p.Email, p.CampusMailbox = "", ""
	}
	return p
}

// Party returns the contact details that the other side of an order and admins see.
func (u User) Party() Party {
	return Party{
		ID: u.ID, Email: string(u.Email), FirstName: u.Profile.FirstName, LastName: u.Profile.LastName,
		CampusMailbox: u.Profile.CampusMailbox, University: u.Profile.University, PaymentUsername: u.Profile.PaymentUsername,
	}
}

// OnlyForSale removes the books that are no longer for sale since they were found.
func OnlyForSale(views []BookView) []BookView {
	kept := views[:0]
	for _, v := range views {
		if v.Status == book.ForSale {
			kept = append(kept, v)
		}
	}
	return kept
}
