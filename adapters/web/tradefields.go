package web

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/user"
)

// TradeFields are the fields of a profile that people fill in when they buy or sell for the first time.
func TradeFields() []Field {
	return []Field{
		{Name: "campusMailbox", Label: "Campus mailbox", Autocomplete: "off", Max: 100, Hint: "Where we deliver your books."},
		{Name: "paymentUsername", Label: "Payment username", Autocomplete: "off", Max: 100, Hint: "Where we send your money. Only our staff can see it."},
	}
}

// MissingTradeFields are the TradeFields that the viewer's profile is without, with what is typed in them. A page is shown
// without them rather than not at all: the use case refuses what needs them.
func (p *Pages) MissingTradeFields(r *http.Request, by user.Caller, typed url.Values) []Field {
	u, err := p.Identity.Users.Me(r.Context(), by)
	if err != nil || u.Profile == nil {
		p.LogFailure(r, "read the viewer's profile", err)
		return nil
	}
	missing := u.Profile.Missing()
	fields := slices.DeleteFunc(TradeFields(), func(f Field) bool { return !slices.Contains(missing, f.Name) })
	return Form{Fields: fields}.WithValues(typed).Fields
}

// SaveTradeFields stores what a form has of the TradeFields in the viewer's profile. What is empty stays missing.
func (p *Pages) SaveTradeFields(r *http.Request, by user.Caller) error {
	typed := func(name string) *string {
		if value := r.PostForm.Get(name); value != "" {
			return &value
		}
		return nil
	}
	change := account.ProfileChange{CampusMailbox: typed("campusMailbox"), PaymentUsername: typed("paymentUsername")}
	if change == (account.ProfileChange{}) {
		return nil
	}
	_, err := p.Identity.Users.UpdateProfile(r.Context(), by, change)
	return err
}
