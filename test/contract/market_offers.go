package contract

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/offer"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketOffers(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"an accepted offer is the price of its buyer for 48 hours":           offerAccepted,
		"a seller answers with a price, which the buyer accepts":             offerCountered,
		"a side answers when it is its turn, and once":                       offerTurns,
		"an offer is below the price of somebody else's book for sale":       offerRefused,
		"a buyer has one offer for a book at a time, and three in all":       offerLimits,
		"a book has a hundred live offers":                                   offersFull,
		"blocked people make each other no offers and accept none":           offersBlocked,
		"strangers learn nothing of an offer":                                offerPrivate,
		"an offer ends when somebody else buys the book":                     offerSold,
		"an offer ends when the book leaves or costs no more":                offerEnds,
		"what the owner of a cart has seen is what a checkout agrees to":     offerInCart,
		"nobody pays more unseen because an offer has lapsed":                offerLapsed,
		"offers are listed by side and state, newest first":                  offersListed,
		"the offers of a deleted account are deleted, of a suspended ended":  offersErased,
		"an export has the offers, and the lines that its owner has written": offersExported,
	})
}

// anOffer posts a book for 10.00 and offers a price for it.
func (b *MarketFixture) anOffer(t *testing.T, price money.Amount) (ann, bob user.Caller, v market.BookView, o buying.OfferView) {
	t.Helper()
	ann, bob = b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v = b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	return ann, bob, v, b.offers(t, bob, v.ID, price)
}

func (b *MarketFixture) offers(t *testing.T, by user.Caller, of book.ID, price money.Amount) buying.OfferView {
	t.Helper()
	o, err := b.Offers.Make(t.Context(), by, of, price, "I'd collect it today.")
	must.Do(t, err)
	b.Clock.Advance(time.Minute)
	return o
}

func (b *MarketFixture) answers(t *testing.T, by user.Caller, o buying.OfferView, r offer.Reply) buying.OfferView {
	t.Helper()
	o, err := b.Offers.Answer(t.Context(), by, o.ID, r)
	must.Do(t, err)
	b.Clock.Advance(time.Minute)
	return o
}

var (
	accepts  = offer.Reply{Answer: offer.Accept}
	declines = offer.Reply{Answer: offer.Decline}
)

func counters(price money.Amount) offer.Reply {
	return offer.Reply{Answer: offer.Counter, Price: &price}
}

// stateOf returns the state in which somebody sees their newest offer as a buyer.
func (b *MarketFixture) stateOf(t *testing.T, buyer user.Caller) offer.State {
	t.Helper()
	all, _, err := b.Offers.List(t.Context(), buyer, order.BuyerSide, nil, market.Page{Limit: 1})
	must.Do(t, err)
	return all[0].State
}

func offerAccepted(t *testing.T, b *MarketFixture) {
	ann, bob, v, o := b.anOffer(t, 800)
	if o.State != offer.Open || o.Price != 800 || o.ListPrice != 1000 || o.Name != v.Name || o.From.FirstName != "bob" || o.To.FirstName != "ann" || o.Text == "" {
		t.Errorf("the offer is %+v", o)
	}
	if o = b.answers(t, ann, o, accepts); o.State != offer.Accepted || !o.ValidUntil.Equal(o.AnsweredAt.Add(48*time.Hour)) {
		t.Errorf("the accepted offer is %+v", o)
	}
	receipt := b.Buy(t, bob, v.ID)
	if got := receipt.Orders[0]; got.Price != 800 || got.Fee != 40 || receipt.Total != 840 {
		t.Errorf("the order is %+v", got)
	}
	if b.stateOf(t, bob) != offer.Ended {
		t.Error("the offer has not ended with the sale")
	}
	b.wantEvents(t, v.ID, event.BookPosted, event.OfferMade, event.OfferAccepted, event.OrderPlaced)
	if got := b.NotificationsOf(t, ann); !slices.Contains(got, notification.OfferMade) || slices.Contains(got, notification.OfferEnded) {
		t.Errorf("the seller is told %v", got)
	}
	if got := b.NotificationsOf(t, bob); !slices.Contains(got, notification.OfferAnswered) || slices.Contains(got, notification.OfferEnded) {
		t.Errorf("the buyer is told %v", got)
	}
	if got := b.MailsTo(t, "ann@rochester.edu"); !slices.Contains(got, message.OfferMade) {
		t.Errorf("the seller is mailed %v", got)
	}
	if got := b.MailsTo(t, "bob@rochester.edu"); !slices.Contains(got, message.OfferAnswered) {
		t.Errorf("the buyer is mailed %v", got)
	}
	b.CheckLedger(t)
	_, err := b.Orders.Cancel(t.Context(), b.Join(t, "dean", user.Admin), v.ID, "It is damp.")
	must.Do(t, err)
	if again := b.Buy(t, bob, v.ID); again.Orders[0].Price != 1000 {
		t.Errorf("the book is sold again for %d, want its price", again.Orders[0].Price)
	}
}

func offerCountered(t *testing.T, b *MarketFixture) {
	ann, bob, v, o := b.anOffer(t, 800)
	for _, wrong := range []money.Amount{800, 1000, 1100, 0} {
		_, err := b.Offers.Answer(t.Context(), ann, o.ID, counters(wrong))
		refused(t, err, offer.ErrCounterPrice)
	}
	if o = b.answers(t, ann, o, counters(900)); o.State != offer.Countered || o.Price != 900 || !o.ValidUntil.IsZero() {
		t.Errorf("the countered offer is %+v", o)
	}
	_, err := b.Offers.Answer(t.Context(), bob, o.ID, counters(950))
	refused(t, err, offer.ErrCounter)
	b.answers(t, bob, o, accepts)
	if receipt := b.Buy(t, bob, v.ID); receipt.Orders[0].Price != 900 {
		t.Errorf("the order costs %d, want 900", receipt.Orders[0].Price)
	}
}

func offerTurns(t *testing.T, b *MarketFixture) {
	ann, bob, _, o := b.anOffer(t, 800)
	_, err := b.Offers.Answer(t.Context(), bob, o.ID, accepts)
	refused(t, err, offer.ErrTurn)
	_, err = b.Offers.Withdraw(t.Context(), ann, o.ID)
	refused(t, err, offer.ErrWithdraw)
	b.answers(t, ann, o, counters(900))
	_, err = b.Offers.Answer(t.Context(), ann, o.ID, accepts)
	refused(t, err, offer.ErrTurn)
	b.answers(t, bob, o, declines)
	for _, by := range []user.Caller{ann, bob} {
		_, err = b.Offers.Answer(t.Context(), by, o.ID, accepts)
		refused(t, err, offer.ErrAnswered)
	}
	_, err = b.Offers.Withdraw(t.Context(), bob, o.ID)
	refused(t, err, offer.ErrAnswered)
	for reply, want := range map[offer.Reply]*fault.Error{
		{Answer: "maybe"}: offer.ErrAnswer, {Answer: offer.Counter}: offer.ErrCounterPrice, {Answer: offer.Accept, Price: new(money.Amount)}: offer.ErrNeedless,
	} {
		_, err = b.Offers.Answer(t.Context(), ann, o.ID, reply)
		refused(t, err, want)
	}
}

func offerRefused(t *testing.T, b *MarketFixture) {
	ann, bob, eve := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	makes := func(by user.Caller, of book.ID, price money.Amount, line string) error {
		_, err := b.Offers.Make(t.Context(), by, of, price, line)
		return err
	}
	for _, price := range []money.Amount{0, -1, 1000, 1001} {
		refused(t, makes(bob, v.ID, price, ""), offer.ErrPrice)
	}
	for _, line := range []string{"a\nb", strings.Repeat("x", offer.MaxText+1), "\xff"} {
		refused(t, makes(bob, v.ID, 800, line), offer.ErrText)
	}
	refused(t, makes(ann, v.ID, 800, ""), book.ErrOwnBook)
	refused(t, makes(bob, 404, 800, ""), book.ErrNotFound)
	refused(t, makes(user.Caller{}, v.ID, 800, ""), user.ErrUnauthenticated)
	b.Buy(t, eve, v.ID)
	refused(t, makes(bob, v.ID, 800, ""), book.ErrNotAvailable)
}

func offerLimits(t *testing.T, b *MarketFixture) {
	ann, bob, v, o := b.anOffer(t, 500)
	again := func() error {
		_, err := b.Offers.Make(t.Context(), bob, v.ID, 700, "")
		return err
	}
	refused(t, again(), offer.ErrOpen)
	b.answers(t, ann, o, counters(900))
	refused(t, again(), offer.ErrOpen)
	b.answers(t, bob, o, declines)
	o = b.offers(t, bob, v.ID, 600)
	b.answers(t, ann, o, accepts)
	refused(t, again(), offer.ErrOpen)
	_, err := b.Offers.Withdraw(t.Context(), bob, o.ID)
	must.Do(t, err)
	b.answers(t, ann, b.offers(t, bob, v.ID, 700), declines)
	refused(t, again(), offer.ErrLimit)
	if receipt := b.Buy(t, bob, v.ID); receipt.Orders[0].Price != 1000 {
		t.Errorf("after a withdrawn offer the book costs %d", receipt.Orders[0].Price)
	}
}

func offersFull(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	var first buying.OfferView
	for i := range offer.MaxPerBook {
		o := b.offers(t, b.Join(t, "student"+strings.Repeat("x", i), user.Regular), v.ID, 800)
		if i == 0 {
			first = o
		}
	}
	late := b.Join(t, "late", user.Regular)
	_, err := b.Offers.Make(t.Context(), late, v.ID, 800, "")
	refused(t, err, offer.ErrFull)
	b.answers(t, ann, first, declines)
	b.offers(t, late, v.ID, 800)
}

func offersBlocked(t *testing.T, b *MarketFixture) {
	ann, bob, v, o := b.anOffer(t, 800)
	for _, pair := range [][2]user.Caller{{ann, bob}, {bob, ann}} {
		must.Do(t, b.Blocks.Block(t.Context(), pair[0], pair[1].ID))
		for _, r := range []offer.Reply{accepts, counters(900)} {
			_, err := b.Offers.Answer(t.Context(), ann, o.ID, r)
			refused(t, err, offer.ErrRefused)
		}
		must.Do(t, b.Blocks.Unblock(t.Context(), pair[0], pair[1].ID))
	}
	must.Do(t, b.Blocks.Block(t.Context(), ann, bob.ID))
	b.answers(t, ann, o, declines)
	_, err := b.Offers.Make(t.Context(), bob, v.ID, 900, "")
	refused(t, err, offer.ErrRefused)
}

// raceLeavingSeller has nobody wait for each other in a circle: engines only notice that after a while.
func raceLeavingSeller(t *testing.T, b *MarketFixture) {
	var buyers [8]user.Caller
	for i := range buyers {
		buyers[i] = b.Join(t, fmt.Sprint("buyer", i), user.Regular)
	}
	for round := range 3 {
		ann := b.Join(t, fmt.Sprint("seller", round), user.Regular)
		v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
		countered := b.answers(t, ann, b.offers(t, buyers[0], v.ID, 700), counters(900))
		must.Together(len(buyers)+1, func(i int) {
			var err error
			switch i {
			case 0:
				_, err = b.Offers.Answer(t.Context(), buyers[0], countered.ID, accepts)
			case len(buyers):
				err = Suspend(t.Context(), b.Accounts(b.Deps), b.Clock.Now(), b.Clock.Now(), ann.ID)
			default:
				_, err = b.Offers.Make(t.Context(), buyers[i], v.ID, 800, "")
			}
			if err != nil && !errors.Is(err, book.ErrNotAvailable) && !errors.Is(err, offer.ErrAnswered) {
				t.Error(err)
			}
		})
		for _, buyer := range buyers {
			all, _, err := b.Offers.List(t.Context(), buyer, order.BuyerSide, nil, market.Page{})
			if must.Do(t, err); slices.ContainsFunc(all, func(o buying.OfferView) bool { return o.State != offer.Ended }) {
				t.Errorf("an offer for a book of somebody who has left is open: %+v", all)
			}
		}
	}
}

func offerPrivate(t *testing.T, b *MarketFixture) {
	_, _, _, o := b.anOffer(t, 800)
	for _, by := range []user.Caller{b.Join(t, "eve", user.Regular), b.Join(t, "dean", user.Admin)} {
		_, err := b.Offers.Answer(t.Context(), by, o.ID, accepts)
		refused(t, err, offer.ErrNotFound)
		_, err = b.Offers.Withdraw(t.Context(), by, o.ID)
		refused(t, err, offer.ErrNotFound)
		if all, _, err := b.Offers.List(t.Context(), by, order.SellerSide, nil, market.Page{}); err != nil || len(all) != 0 {
			t.Errorf("a stranger lists %+v, %v", all, err)
		}
	}
	_, err := b.Offers.Answer(t.Context(), b.Join(t, "cat", user.Regular), 404, accepts)
	refused(t, err, offer.ErrNotFound)
}

func offerSold(t *testing.T, b *MarketFixture) {
	ann, bob, v, o := b.anOffer(t, 800)
	b.answers(t, ann, o, accepts)
	eve := b.Join(t, "eve", user.Regular)
	b.offers(t, eve, v.ID, 700)
	cat := b.Join(t, "cat", user.Regular)
	if receipt := b.Buy(t, cat, v.ID); receipt.Orders[0].Price != 1000 {
		t.Errorf("somebody else pays %d, want the price of the book", receipt.Orders[0].Price)
	}
	for _, who := range []user.Caller{bob, eve} {
		if got := b.NotificationsOf(t, who); b.stateOf(t, who) != offer.Ended || got[len(got)-1] != notification.OfferEnded {
			t.Errorf("the offer is %v, and its buyer is told %v", b.stateOf(t, who), got)
		}
	}
	_, err := b.Offers.Withdraw(t.Context(), bob, o.ID)
	refused(t, err, offer.ErrAnswered)
}

func offerEnds(t *testing.T, b *MarketFixture) {
	ann, bob, v, o := b.anOffer(t, 800)
	eve := b.Join(t, "eve", user.Regular)
	b.offers(t, eve, v.ID, 700)
	b.answers(t, ann, o, accepts)
	reprice := func(price money.Amount) {
		t.Helper()
		_, err := b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Price: &price})
		must.Do(t, err)
	}
	reprice(1200)
	reprice(801)
	if b.stateOf(t, bob) != offer.Accepted || b.stateOf(t, eve) != offer.Open {
		t.Error("an offer below the price has ended")
	}
	reprice(800)
	if b.stateOf(t, bob) != offer.Ended || b.stateOf(t, eve) != offer.Open {
		t.Error("an offer of the price has not ended, or one below it has")
	}
	_, err := b.Listings.Unlist(t.Context(), ann, v.ID)
	must.Do(t, err)
	if b.stateOf(t, eve) != offer.Ended {
		t.Error("an offer outlives the listing")
	}
	_, err = b.Listings.Relist(t.Context(), ann, v.ID)
	must.Do(t, err)
	b.answers(t, ann, b.offers(t, bob, v.ID, 600), accepts)
	b.Clock.Advance(offer.Validity - 2*time.Minute)
	if b.RunAllJobs(t); b.stateOf(t, bob) != offer.Accepted {
		t.Error("the offer has ended early")
	}
	b.Clock.Advance(2 * time.Minute)
	if b.stateOf(t, bob) != offer.Ended {
		t.Error("the offer is valid after 48 hours")
	}
	b.RunAllJobs(t)
	if got := b.NotificationsOf(t, bob); got[len(got)-1] != notification.OfferEnded {
		t.Errorf("its buyer is told %v", got)
	}
	must.Do(t, b.Carts.Add(t.Context(), bob, v.ID)) // with the price of now
	if receipt := b.Buy(t, bob, v.ID); receipt.Orders[0].Price != 800 {
		t.Errorf("after 48 hours the book costs %d, want its price", receipt.Orders[0].Price)
	}
}

func offerInCart(t *testing.T, b *MarketFixture) {
	ann, bob, v, o := b.anOffer(t, 800)
	must.Do(t, b.Carts.Add(t.Context(), bob, v.ID))
	inCart := func(price money.Amount) {
		t.Helper()
		items, _, err := b.Carts.List(t.Context(), bob, market.Page{})
		if must.Do(t, err); items[0].Price != price || items[0].ListPrice != 1000 {
			t.Errorf("the cart shows %d instead of %d, want %d", items[0].Price, items[0].ListPrice, price)
		}
	}
	inCart(1000)
	b.answers(t, ann, o, accepts)
	inCart(800)
	b.Clock.Advance(offer.Validity)
	inCart(1000)
	_, err := b.Checkout.Do(t.Context(), bob, buying.Basket{})
	refused(t, err, buying.ErrPriceChanged)
	b.answers(t, ann, b.offers(t, bob, v.ID, 900), accepts)
	_, err = b.Checkout.Do(t.Context(), bob, buying.Basket{})
	refused(t, err, buying.ErrPriceChanged) // the cart knew 800
	must.Do(t, b.Carts.Add(t.Context(), bob, v.ID))
	wrong, right := money.Amount(1050), money.Amount(945)
	_, err = b.Checkout.Do(t.Context(), bob, buying.Basket{Total: &wrong})
	refused(t, err, buying.ErrPriceChanged)
	receipt, err := b.Checkout.Do(t.Context(), bob, buying.Basket{Total: &right})
	if must.Do(t, err); receipt.Total != right {
		t.Errorf("the total is %d, want %d", receipt.Total, right)
	}
}

func offerLapsed(t *testing.T, b *MarketFixture) {
	ann, bob, v, o := b.anOffer(t, 800)
	b.answers(t, ann, o, accepts)
	b.Clock.Advance(offer.Validity)
	basket := buying.Basket{Books: []book.ID{v.ID}}
	refusedAt := func(want money.Amount) {
		t.Helper()
		_, err := b.Checkout.Do(t.Context(), bob, basket)
		var changed *buying.PriceChangedError
		if !errors.As(err, &changed) || changed.Total != want {
			t.Errorf("bob is told %v, want the total %d", err, want)
		}
	}
	refusedAt(1050)
	b.RunAllJobs(t) // which end the offer, and tell its buyer
	refusedAt(1050)
	must.Do(t, b.Carts.Add(t.Context(), bob, v.ID)) // where bob sees the price
	must.Get(b.Listings.Update(t.Context(), ann, v.ID, book.Patch{Price: new(money.Amount(1100))}))(t)
	refusedAt(1155)
	must.Do(t, b.Carts.Add(t.Context(), bob, v.ID))
	if receipt := b.Buy(t, bob, v.ID); receipt.Total != 1155 {
		t.Errorf("the total is %d", receipt.Total)
	}
	_, err := b.Orders.Cancel(t.Context(), b.Join(t, "dean", user.Admin), v.ID, "It is damp.")
	must.Do(t, err)
	b.Clock.Advance(offer.Validity)
	b.Buy(t, bob, v.ID)
}

func offersListed(t *testing.T, b *MarketFixture) {
	ann, bob, _, o := b.anOffer(t, 800)
	var made []offer.ID
	for range 3 {
		made = append(made, b.offers(t, bob, b.Post(t, ann, Draft("Physics", "PHY 121", 1000)).ID, 900).ID)
	}
	b.answers(t, ann, o, accepts)
	open, accepted := offer.Open, offer.Accepted
	for _, c := range []struct {
		by    user.Caller
		side  order.Side
		state *offer.State
		want  []offer.ID
	}{
		{bob, order.BuyerSide, nil, []offer.ID{made[2], made[1], made[0], o.ID}},
		{ann, order.SellerSide, &open, []offer.ID{made[2], made[1], made[0]}},
		{ann, order.SellerSide, &accepted, []offer.ID{o.ID}},
		{ann, order.BuyerSide, nil, nil},
		{ann, order.EitherSide, nil, []offer.ID{made[2], made[1], made[0], o.ID}},
		{bob, order.SellerSide, nil, nil},
	} {
		var got []offer.ID
		for page := (market.Page{Limit: 2}); ; {
			all, next, err := b.Offers.List(t.Context(), c.by, c.side, c.state, page)
			must.Do(t, err)
			for _, v := range all {
				got = append(got, v.ID)
			}
			if page.Cursor = next; next == "" {
				break
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("side %d lists %v, want %v", c.side, got, c.want)
		}
	}
	b.Clock.Advance(offer.Validity)
	if all, _, err := b.Offers.List(t.Context(), ann, order.SellerSide, &accepted, market.Page{}); err != nil || len(all) != 0 {
		t.Errorf("an offer whose time is over is listed as accepted: %+v, %v", all, err)
	}
}

func offersErased(t *testing.T, b *MarketFixture) {
	ann, bob, v, _ := b.anOffer(t, 800)
	eve := b.Join(t, "eve", user.Regular)
	theirs := b.offers(t, eve, v.ID, 700)
	b.DeleteUser(t, bob)
	all, _, err := b.Offers.List(t.Context(), ann, order.SellerSide, nil, market.Page{})
	if must.Do(t, err); len(all) != 1 || all[0].ID != theirs.ID {
		t.Errorf("the seller lists %+v", all)
	}
	b.suspend(t, eve)
	if all, _, err = b.Offers.List(t.Context(), ann, order.SellerSide, nil, market.Page{}); err != nil || all[0].State != offer.Ended || all[0].From.FirstName != "" {
		t.Errorf("the offer of a suspended buyer is %+v, %v", all, err)
	}
}

func offersExported(t *testing.T, b *MarketFixture) {
	ann, bob, _, o := b.anOffer(t, 800)
	for who, want := range map[user.Caller]string{bob: "I'd collect it today.", ann: ""} {
		x := b.export(t, who, 10)
		all := append(slices.Clone(x.Offers), x.OffersReceived...)
		if len(all) != 1 || all[0].ID != o.ID.String() || all[0].Text != want || all[0].State != "open" || all[0].Price != "8.00" {
			t.Errorf("the export has %+v and %+v", x.Offers, x.OffersReceived)
		}
	}
}
