package buyingpages

import (
	"cmp"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// words says what happens with an order, in one language.
type words struct {
	orderView
	lang                        user.Lang
	buyer, seller, total, price string
	now                         time.Time
}

func (p *Pages) wordsFor(v orderView, lang user.Lang) words {
	format := p.FormatIn(lang).Money
	return words{
		orderView: v, lang: lang, total: format(v.Total()), price: format(v.Price), now: p.Clock.Now(),
		buyer:  cmp.Or(v.BuyerParty.FirstName, web.Translate(lang, "the buyer")), // without a name the account is deleted
		seller: cmp.Or(v.SellerParty.FirstName, web.Translate(lang, "the seller")),
	}
}

// say translates a sentence, which may begin with a name.
func (w words) say(english string, args ...any) string {
	s := web.Translate(w.lang, english, args...)
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// other is the name of the other side.
func (w words) other() string {
	if w.Selling {
		return w.buyer
	}
	return w.seller
}

// next says what happens next and who does it; "" if nothing is left to do.
func (w words) next(mode meeting.Mode) string {
	next, _ := w.OrderView.Next(mode)
	switch {
	case w.Refusal != "" && next.What != "":
		return w.Refusal
	case next.What == order.Decide:
		return w.nextDecision()
	case next.What == order.Settle && w.Status == order.Placed:
		return w.nextSettlement()
	case next.What == order.ProposeMeeting:
		return w.nextProposal()
	case next.What == order.AcceptMeeting:
		return w.nextAnswer()
	case next.What == order.Meet:
		return w.nextMeeting()
	case w.Status == order.Verified && (!mode.HasDesk() || w.Met()):
		return w.nextFromAdmin()
	}
	return w.nextAtDesk()
}

func (w words) nextAtDesk() string {
	switch {
	case w.Status == order.Placed && w.Selling:
		return w.say("Bring the book to the desk. We check its condition and charge %s.", w.buyer)
	case w.Status == order.Placed && w.Buying:
		return w.say("%s brings the book to the desk. We check its condition, and only then charge you %s.", w.seller, w.total)
	case w.Status == order.Placed:
		return w.say("%s brings the book. Check its condition, then charge %s %s.", w.seller, w.buyer, w.total)
	case w.Status == order.Verified && w.Selling:
		return w.say("%s gets the book, and then we pay you %s.", w.buyer, w.price)
	case w.Status == order.Verified && w.Buying:
		return w.say("The book is ready for you: its condition is as described, and you have been charged %s.", w.total)
	case w.Status == order.Verified:
		return w.say("Hand the book over to %s, then pay %s %s.", w.buyer, w.seller, w.price)
	}
	return ""
}

// nextDecision says what follows once the account of one side is deleted.
func (w words) nextDecision() string {
	switch {
	case !w.Admin:
		return w.say("%s has closed their account. We will complete or cancel the sale, and tell you.", w.other())
	case w.BuyerParty.Left():
		return w.say("%s has closed their account. Complete or cancel the sale.", w.buyer)
	}
	return w.say("%s has closed their account. Complete or cancel the sale.", w.seller)
}

// nextSettlement says what follows after a hand-over.
func (w words) nextSettlement() string {
	switch {
	case w.Selling:
		return w.say("You have handed over the book. We charge %s next, and then pay you %s.", w.buyer, w.price)
	case w.Buying:
		return w.say("You have the book. We charge you %s next.", w.total)
	}
	return w.say("The book was handed over in person. Charge %s %s, and pay %s %s.", w.buyer, w.total, w.seller, w.price)
}

func (w words) nextProposal() string {
	direct := w.Settlement == order.Direct
	switch {
	case w.Selling && direct:
		return w.say("Agree with %s on where and when to meet. They pay you %s when you meet.", w.buyer, w.price)
	case w.Selling:
		return w.say("Agree with %s on where and when to meet. We pay you %s once you have typed their code.", w.buyer, w.price)
	case w.Buying && direct:
		return w.say("Agree on where and when to meet, check the book, and pay %s %s when you meet.", w.seller, w.price)
	case w.Buying:
		return w.say("Agree with %s on where and when to meet. You are charged %s only after you have checked the book and shown your code.", w.seller, w.total)
	}
	return w.say("%s and %s agree on where and when to meet.", w.buyer, w.seller)
}

func (w words) nextAnswer() string {
	switch {
	case w.Admin:
		return w.say("%s and %s agree on where and when to meet.", w.buyer, w.seller)
	case w.now.After(w.Meeting.At):
		return w.say("The proposed time has passed. Propose another one.")
	case w.Meeting.By == w.viewer():
		return w.say("%s has not accepted your proposal yet.", w.other())
	}
	return w.say("%s proposes where and when to meet. Accept, or propose something else.", w.other())
}

// late is how long after the agreed time people may still be on their way.
const late = 2 * time.Hour

func (w words) nextMeeting() string {
	direct, past := w.Settlement == order.Direct, w.now.After(w.Meeting.At.Add(late))
	switch {
	case w.Selling && past:
		return w.say("The agreed time has passed. If you have met, type the code of %s. Otherwise propose another time.", w.buyer)
	case w.Buying && past:
		return w.say("The agreed time has passed. Propose another one, if you have not met %s.", w.seller)
	case w.Selling && direct:
		return w.say("Meet %s, who pays you %s when you meet. Then scan or type their code.", w.buyer, w.price)
	case w.Selling:
		return w.say("Meet %s, and scan or type their code. We then charge them and pay you %s.", w.buyer, w.price)
	case w.Buying && direct:
		return w.say("Check the book. Only if it is as described, show the code and pay %s %s when you meet.", w.seller, w.price)
	case w.Buying:
		return w.say("Meet %s and check the book. Only if it is as described, show the code: you are then charged %s.", w.seller, w.total)
	}
	return w.say("%s and %s meet. The seller types the code that the buyer shows.", w.buyer, w.seller)
}

// nextFromAdmin says what follows after an admin has charged the buyer where there is no desk.
func (w words) nextFromAdmin() string {
	switch {
	case w.Selling:
		return w.say("%s has been charged. We complete the sale and pay you %s.", w.buyer, w.price)
	case w.Buying:
		return w.say("You have been charged %s. We complete the sale.", w.total)
	}
	return w.say("%s has been charged. Pay %s %s to complete the sale.", w.buyer, w.seller, w.price)
}

// viewer is the side of the order that looks at the page; 0 for an admin.
func (v orderView) viewer() user.ID {
	switch {
	case v.Buying:
		return v.Buyer
	case v.Selling:
		return v.Seller
	}
	return 0
}

// otherParty is the other side of the order.
func (v orderView) otherParty() market.Party {
	if v.Selling {
		return v.BuyerParty
	}
	return v.SellerParty
}
