package buyingstore

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/offer"
	"github.com/octavo-books/octavo/domain/user"
)

// offers implements the offers of buying.Store.
type offers struct{ marketrows.Handle }

const offerColumns = "o.id, o.book_id, o.buyer_id, o.seller_id, o.price, o.text, o.state, o.created_at, o.answered_at, o.valid_until"

func scanOffer(o *offer.Offer) []any {
	return []any{
		&o.ID, &o.Book, &o.Buyer, &o.Seller, &o.Price, &o.Text, &o.State,
		rawsql.ScanTime(&o.CreatedAt), rawsql.ScanTime(&o.AnsweredAt), rawsql.ScanTime(&o.ValidUntil),
	}
}

func readOffer() ([]any, func() offer.Offer) {
	var o offer.Offer
	return scanOffer(&o), func() offer.Offer { return o }
}

func (s offers) AddOffer(ctx context.Context, o offer.Offer) error {
	_, err := s.Exec(ctx, `INSERT INTO offers (id, book_id, buyer_id, seller_id, price, text, state, created_at, answered_at, valid_until)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0)`,
		int64(o.ID), int64(o.Book), int64(o.Buyer), int64(o.Seller), int64(o.Price), o.Text, int(o.State), rawsql.Micros(o.CreatedAt))
	return err
}

func (s offers) FindOffer(ctx context.Context, id offer.ID) (offer.Offer, error) {
	o, found, err := rawsql.One(ctx, s.Conn, readOffer, "SELECT "+offerColumns+" FROM offers o WHERE o.id = ?", int64(id))
	if err == nil && !found {
		err = offer.ErrNotFound
	}
	return o, err
}

func (s offers) UpdateOffer(ctx context.Context, o offer.Offer) error {
	_, err := s.Exec(ctx, "UPDATE offers SET price = ?, state = ?, answered_at = ?, valid_until = ? WHERE id = ?",
		int64(o.Price), int(o.State), rawsql.Micros(o.AnsweredAt), rawsql.Micros(o.ValidUntil), int64(o.ID))
	return err
}

func (s offers) ListOffersBy(ctx context.Context, buyer user.ID, of book.ID) ([]offer.Offer, error) {
	return rawsql.Collect(ctx, s.Conn, readOffer, "SELECT "+offerColumns+" FROM offers o WHERE o.book_id = ? AND o.buyer_id = ? ORDER BY o.id LIMIT ?",
		int64(of), int64(buyer), offer.MaxPerBuyer)
}

func (s offers) ListLiveOffers(ctx context.Context, of book.ID) ([]offer.Offer, error) {
	return rawsql.Collect(ctx, s.Conn, readOffer, "SELECT "+offerColumns+" FROM offers o WHERE o.book_id = ? AND o.state < 3 ORDER BY o.id LIMIT ?",
		int64(of), offer.MaxPerBook)
}

func (s offers) EndOffers(ctx context.Context, ids ...offer.ID) error {
	marks, args := rawsql.In(ids)
	_, err := s.Exec(ctx, "UPDATE offers SET state = 5 WHERE id IN ("+marks+")", args...)
	return err
}

func (s offers) ListAgreedPrices(ctx context.Context, buyer user.ID, now time.Time, of ...book.ID) (map[book.ID]money.Amount, error) {
	return agreedPrices(ctx, s.Handle, buyer, now, of)
}

// ListAgreedPrices implements buying.Reader.
func (s Reader) ListAgreedPrices(ctx context.Context, buyer user.ID, now time.Time, of ...book.ID) (map[book.ID]money.Amount, error) {
	return agreedPrices(ctx, s.Read, buyer, now, of)
}

func agreedPrices(ctx context.Context, c marketrows.Handle, buyer user.ID, now time.Time, of []book.ID) (map[book.ID]money.Amount, error) {
	return offeredPrices(ctx, c, buyer, of, "o.state = 2 AND o.valid_until > ?", rawsql.Micros(now))
}

func (s offers) ListLapsedPrices(ctx context.Context, buyer user.ID, now time.Time, of ...book.ID) (map[book.ID]money.Amount, error) {
	return offeredPrices(ctx, s.Handle, buyer, of, "o.state IN (2, 5) AND o.valid_until <= ? AND o.valid_until > ?",
		rawsql.Micros(now), rawsql.Micros(now.Add(-offer.Validity)))
}

// offeredPrices returns the prices of the last of the selected offers for each book.
func offeredPrices(
	ctx context.Context, c marketrows.Handle, buyer user.ID, of []book.ID, which string, args ...any,
) (map[book.ID]money.Amount, error) {
	if len(of) == 0 {
		return nil, nil
	}
	marks, ids := rawsql.In(of)
	found, err := rawsql.Collect(ctx, c.Conn, readKnownPrice,
		"SELECT o.book_id, o.price FROM offers o WHERE o.buyer_id = ? AND o.book_id IN ("+marks+") AND "+which+" ORDER BY o.id",
		slices.Concat([]any{int64(buyer)}, ids, args)...)
	prices := make(map[book.ID]money.Amount, len(found))
	for _, f := range found {
		prices[f.Book] = f.Price
	}
	return prices, err
}

func (s offers) LowerCartPrice(ctx context.Context, owner user.ID, of book.ID, price money.Amount) error {
	_, err := s.Exec(ctx, "UPDATE carts SET price = ? WHERE owner_id = ? AND book_id = ? AND price > ?", int64(price), int64(owner), int64(of), int64(price))
	return err
}

// ListOffers implements buying.Reader. Each side has two indexes, one of which begins with the state;
// one condition for both sides would sort all offers of somebody who has thousands.
func (s Reader) ListOffers(ctx context.Context, of buying.OfferSelection, before offer.ID, n int) ([]buying.OfferView, error) {
	var parts []string
	var args []any
	for _, column := range columnsOf[of.Side] {
		var w marketrows.Where
		w.And("o."+column+" = ?", int64(of.Of))
		if of.State != nil {
			w.And("o.state = " + strconv.Itoa(int(*of.State)))
		}
		if of.State != nil && *of.State == offer.Accepted {
			w.And("o.valid_until > ?", rawsql.Micros(of.Now))
		}
		w.And("o.id < ?", rawsql.UpperBound(before))
		parts = append(parts, "SELECT * FROM (SELECT o.* FROM offers o "+w.String()+" ORDER BY o.id DESC LIMIT ?) AS "+column)
		args = append(append(args, w.Args...), n)
	}
	return rawsql.Collect(ctx, s.Read.Conn, readOfferView, "SELECT "+offerColumns+", b.name, b.price, "+marketrows.UserColumns("bu")+", "+marketrows.UserColumns("su")+
		" FROM ("+strings.Join(parts, " UNION ALL ")+") AS o"+
		s.Read.JoinRow("JOIN", "books", "b", "o.book_id")+s.Read.JoinRow("JOIN", "users", "bu", "o.buyer_id")+s.Read.JoinRow("JOIN", "users", "su", "o.seller_id")+
		" ORDER BY o.id DESC LIMIT ?", append(args, n)...)
}

func readOfferView() ([]any, func() buying.OfferView) {
	var v buying.OfferView
	var buyer, seller market.User
	columns := append(scanOffer(&v.Offer), &v.Name, &v.ListPrice)
	columns = append(append(columns, marketrows.ScanUser(&buyer)...), marketrows.ScanUser(&seller)...)
	return columns, func() buying.OfferView {
		v.From, v.To = buyer.Person(), seller.Person()
		return v
	}
}
