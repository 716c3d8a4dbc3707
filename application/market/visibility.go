package market

import (
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// shownTo removes from each view what the caller may not see of an order: buyer and
// seller see each other, admins also see the payment usernames, others see nothing.
func shownTo(views []BookView, by user.Caller) []BookView {
	for i := range views {
		views[i] = views[i].shownTo(by)
	}
	return views
}

func (v BookView) shownTo(by user.Caller) BookView {
	involved := by.SignedIn() && (by.ID == v.Seller || by.ID == v.Buyer)
	if v.Order == nil || !v.Status.Sold() || !involved && by.Role < user.Admin {
		v.Order = nil
		return v
	}
	o := v.Order.shownTo(by)
	v.Order = &o
	return v
}

func (o OrderView) shownTo(by user.Caller) OrderView {
	if by.Role < user.Admin {
		o.BuyerParty.PaymentUsername, o.SellerParty.PaymentUsername = "", ""
	}
	return o
}

// Party returns the contact details that the other side of an order and admins see.
func (u User) Party() Party {
	return Party{
		ID: u.ID, Email: string(u.Email), FirstName: u.Profile.FirstName, LastName: u.Profile.LastName,
		CampusMailbox: u.Profile.CampusMailbox, University: u.Profile.University, PaymentUsername: u.Profile.PaymentUsername,
	}
}

// onlyForSale removes the books that are no longer for sale since they were found.
func onlyForSale(views []BookView) []BookView {
	kept := views[:0]
	for _, v := range views {
		if v.Status == book.ForSale {
			kept = append(kept, v)
		}
	}
	return kept
}
