package contract

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// marketExport checks the export of a user's own data.
func marketExport(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"an export contains the user's books, requests, orders, cart and notifications": exportOwn,
		"an export keeps the newest entries of long lists":                              exportLong,
	})
}

func (b *MarketFixture) export(t *testing.T, of user.Caller, limit int) market.Exported {
	t.Helper()
	all := must.Get(rooms.NewExport(b.Ports, money.Currency{}).ExportData(t.Context(), of.ID, limit))(t)
	return all.(market.Exported)
}

func exportOwn(t *testing.T, b *MarketFixture) {
	ann, bob, _, sold := b.aSale(t)
	v := b.Post(t, ann, Draft("Organic Chemistry", "CHM 203", 1000))
	must.Do(t, b.Carts.Add(t.Context(), bob, v.ID))
	b.Request(t, bob, book.RequestDraft{Name: "Biology", Course: "BIO 110"})
	b.report(t, bob, about(v))
	seller, buyer := b.export(t, ann, 1000), b.export(t, bob, 1000)
	if len(seller.Books) != 2 || len(seller.Sales) != 1 || len(seller.Purchases)+len(seller.Requests)+len(seller.Cart) != 0 || len(seller.Notifications) == 0 {
		t.Errorf("the seller's is %+v", seller)
	}
	if len(buyer.Purchases) != 1 || buyer.Purchases[0].BookID != sold.ID.String() || len(buyer.Requests) != 1 || len(buyer.Cart) != 1 || len(buyer.Books) != 0 {
		t.Errorf("the buyer's is %+v", buyer)
	}
	if len(seller.Reports) != 0 || len(buyer.Reports) != 1 || buyer.Reports[0].Kind != "book" || buyer.Reports[0].TargetID != v.ID.String() || !buyer.Reports[0].Open {
		t.Errorf("the reports are %+v and %+v", seller.Reports, buyer.Reports)
	}
	for _, o := range []market.ExportedOrder{seller.Sales[0], buyer.Purchases[0]} {
		if o.Settlement != "operator" || (o.Handover == "") != (o.HandedOverAt == nil) || (o.Handover == "") != (o.VerifiedAt == nil) {
			t.Errorf("the order is %+v", o)
		}
	}
	text := must.Get(json.Marshal(buyer))(t)
	for _, of := range []string{"pay-ann", "CPU ann", "ann@rochester.edu"} {
		if strings.Contains(string(text), of) {
			t.Errorf("the buyer's export has the seller's %q", of)
		}
	}
}

func exportLong(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	var newest market.BookView
	for range 3 {
		newest = b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	}
	out := b.export(t, ann, 2)
	if len(out.Books) != 2 || out.Books[0].ID != newest.ID.String() || len(out.Truncated) == 0 || out.Truncated[0] != "books" {
		t.Errorf("export is %+v", out)
	}
}
