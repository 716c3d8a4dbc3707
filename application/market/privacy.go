package market

import (
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// shown leaves in each view what the caller may see of a sale: its two sides
// see each other, admins also where the money goes, everyone else nothing.
func shown(views []BookView, by user.Caller) []BookView {
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

// Party is one side of a sale as the other side and admins see it.
func (p Person) Party() Party {
	return Party{
		ID: p.ID, Email: string(p.Email), FirstName: p.Profile.FirstName, LastName: p.Profile.LastName,
		CampusMailbox: p.Profile.CampusMailbox, PaymentUsername: p.Profile.PaymentUsername,
	}
}

// onlyForSale drops what went away since it was found.
func onlyForSale(views []BookView) []BookView {
	kept := views[:0]
	for _, v := range views {
		if v.Status == book.ForSale {
			kept = append(kept, v)
		}
	}
	return kept
}
