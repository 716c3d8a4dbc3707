package buyingpages

import (
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/offer"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// offerPages has the offers that the viewer has made and got, and the form that makes one.
func (p *Pages) offerPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(offersPath, p.ForStudents(p.offers)).InMenu(35, "Offers", "the offers that you have sent and received"),
			web.Get(makeOfferPath, p.ForStudents(p.showMakeOffer)).With("book={book}"),
			web.Post(makeOfferPath, p.ForStudents(p.makeOffer)).Restores(func(url.Values) web.FormView { return makeOfferForm(nil, "") }),
			web.Post(offersPath+"/accept", p.ForStudents(p.answerOffer(offer.Accept))),
			web.Post(offersPath+"/decline", p.ForStudents(p.answerOffer(offer.Decline))),
			web.Post(counterPath, p.ForStudents(p.counterOffer)).Restores(web.Restored("Make a counteroffer", counterForm(0))),
			web.Post(offersPath+"/withdraw", p.ForStudents(p.withdrawOffer)),
		},
		Flashes: map[string]string{
			"offermade":      "Offer sent.",
			"offeraccept":    "Offer accepted. The price is good for 48 hours, but the first to buy the book gets it.",
			"offerdecline":   "Offer declined.",
			"offercounter":   "Counteroffer sent.",
			"offerwithdrawn": "Offer withdrawn.",
		},
	}
}

const (
	offersPath    = "/offers"
	makeOfferPath = offersPath + "/make"
	counterPath   = offersPath + "/counter"
)

type offersView struct {
	Offers           []offerEntry
	Buying, Selling  bool // one side alone
	More, Here, Role string
}

// offerEntry is an offer with what its viewer can do.
type offerEntry struct {
	buying.OfferView
	Mine     bool   // the viewer is the buyer
	Who      string // whose price it is
	Turn     bool   // the viewer has to answer
	Counter  bool   // may answer with a price
	Withdraw bool
	Buyable  bool // at its price
}

// offers serves GET /offers.
func (p *Pages) offers(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	v := offersView{Here: r.URL.RequestURI(), Role: r.URL.Query().Get("role")}
	side := order.EitherSide
	switch v.Role {
	case "buyer":
		side, v.Buying = order.BuyerSide, true
	case "seller":
		side, v.Selling = order.SellerSide, true
	}
	found, next, err := p.Market.Offers.List(r.Context(), by, side, nil, web.PageOf(r))
	if err != nil {
		return err
	}
	v.More = web.NextLink(r, next)
	for _, o := range found {
		v.Offers = append(v.Offers, entryOf(web.LangOf(r), o, by))
	}
	return p.Show(w, r, http.StatusOK, "offers", "Offers", v)
}

func entryOf(lang user.Lang, o buying.OfferView, by user.Caller) offerEntry {
	e := offerEntry{OfferView: o, Mine: by.ID == o.Buyer, Turn: o.State.Waits() && by.ID == o.Turn()}
	other, made, got := o.From, "Your counteroffer to %s", "Offer from %s"
	if e.Mine {
		other, made, got = o.To, "Your offer to %s", "Counteroffer from %s"
	}
	if other.FirstName == "" {
		other.FirstName = web.Translate(lang, "somebody who has left")
	}
	if e.Mine == (o.State == offer.Countered) {
		made = got
	}
	e.Who = web.Translate(lang, made, other.FirstName)
	e.Counter = e.Turn && !e.Mine
	e.Withdraw = e.Mine && o.State.Live()
	e.Buyable = e.Mine && o.State == offer.Accepted
	return e
}

// StateText says how the offer stands.
func (e offerEntry) StateText() string {
	switch {
	case e.Turn:
		return "waiting for your answer"
	case e.State.Waits():
		return "waiting for an answer"
	}
	return e.State.String()
}

// priceField is a field for an amount.
func priceField(label, hint string) web.Field {
	return web.Field{Name: "price", Label: label, InputMode: "decimal", Max: web.MaxTypedPrice, Hint: hint}
}

// makeOfferForm is the form that offers a price for a book; nil: a book that is typed already.
func makeOfferForm(b *market.BookView, hint string) web.FormView {
	f := web.FormView{
		Head: "Make an offer",
		Text: "The seller can accept, decline or make a counteroffer. An offer does not hold the book: the first to buy it gets it.",
		Form: web.Form{Action: makeOfferPath, Button: "Send the offer", Fields: []web.Field{
			priceField("Your price", hint),
			{Name: "text", Label: "In one line", Max: offer.MaxText, Optional: true, Hint: "The seller can read it."},
		}},
	}
	if b != nil {
		f.Form.Hidden = []web.Hidden{{Name: "book", Value: b.ID.String()}}
		f.Links = []web.Option{{Value: "/book?id=" + b.ID.String(), Label: "Back to the book"}}
	}
	return f
}

// formFor is makeOfferForm for a book that the viewer may see.
func (p *Pages) formFor(r *http.Request, by user.Caller, id book.ID) (web.FormView, error) {
	b, err := p.Market.Catalogue.Get(r.Context(), by, id)
	if err != nil {
		return web.FormView{}, err
	}
	lang := web.LangOf(r)
	f := makeOfferForm(&b, web.Translate(lang, "“%s” costs %s.", b.Name, p.FormatIn(lang).Money(b.Price)))
	f.Form.Fields = append(f.Form.Fields, p.MissingTradeFields(r, by, nil)...)
	return f, nil
}

// showMakeOffer serves GET /offers/make?book=.
func (p *Pages) showMakeOffer(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	f, err := p.formFor(r, by, web.IDOf[book.ID](r.URL.Query().Get("book")))
	if err != nil {
		return err
	}
	p.RenderForm(w, r, f)
	return nil
}

// makeOffer serves POST /offers/make.
func (p *Pages) makeOffer(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := web.IDOf[book.ID](r.PostForm.Get("book"))
	price, err := p.typedPrice(r)
	if err == nil {
		err = p.SaveTradeFields(r, by)
	}
	if err == nil {
		_, err = p.Market.Offers.Make(r.Context(), by, id, price, r.PostForm.Get("text"))
	}
	if err != nil {
		f, unknown := p.formFor(r, by, id)
		if unknown != nil {
			return unknown
		}
		return p.RetryForm(w, r, f, err)
	}
	return p.Redirect(w, r, offersPath, "offermade")
}

// typedPrice reads the price of a form.
func (p *Pages) typedPrice(r *http.Request) (money.Amount, error) {
	price, err := web.AmountOf(p.Currency, r.PostForm.Get("price"))
	if err != nil {
		return 0, err.WithField("price", p.Currency.Hint())
	}
	return price, nil
}

func counterForm(id offer.ID) web.Form {
	return web.Form{Action: counterPath, Button: "Send the counteroffer", Hidden: []web.Hidden{{Name: "id", Value: id.String()}}, Fields: []web.Field{priceField("Your price", "")}}
}

// answerOffer serves POST /offers/accept and /offers/decline.
func (p *Pages) answerOffer(a offer.Answer) web.Handler {
	return func(w http.ResponseWriter, r *http.Request, by user.Caller) error {
		if _, err := p.Market.Offers.Answer(r.Context(), by, web.IDOf[offer.ID](r.PostForm.Get("id")), offer.Reply{Answer: a}); err != nil {
			return err
		}
		return p.Redirect(w, r, offersPath, "offer"+string(a))
	}
}

// counterOffer serves POST /offers/counter.
func (p *Pages) counterOffer(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := web.IDOf[offer.ID](r.PostForm.Get("id"))
	price, err := p.typedPrice(r)
	if err == nil {
		_, err = p.Market.Offers.Answer(r.Context(), by, id, offer.Reply{Answer: offer.Counter, Price: &price})
	}
	if err != nil {
		links := []web.Option{{Value: offersPath, Label: "Back to the offers"}}
		return p.RetryForm(w, r, web.FormView{Head: "Make a counteroffer", Form: counterForm(id), Links: links}, err)
	}
	return p.Redirect(w, r, offersPath, "offercounter")
}

// withdrawOffer serves POST /offers/withdraw.
func (p *Pages) withdrawOffer(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.Market.Offers.Withdraw(r.Context(), by, web.IDOf[offer.ID](r.PostForm.Get("id")))
	return p.Done(w, r, err, offersPath, "offerwithdrawn")
}
