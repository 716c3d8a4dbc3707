package buyingpages

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// cartPages is about what the viewer is about to buy.
func (p *Pages) cartPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get("/cart", p.ForStudents(p.cart)), web.Post("/cart/add", p.ForStudents(p.addToCart)), web.Post("/cart/remove", p.ForStudents(p.removeFromCart)),
			web.Post("/cart/clear", p.ForStudents(p.clearCart)), web.Post("/cart/buy", p.ForStudents(p.buy)),
		},
		Flashes: map[string]string{
			"added":         "The book is in your cart. It is not reserved until you buy it.",
			"removed":       "The book was removed from your cart.",
			"cleared":       "Your cart is now empty.",
			"bought":        "Your order is placed. You are charged once the condition of the books is verified.",
			"bought_meet":   "Your order is placed. You are charged once you have met the seller and checked the books.",
			"bought_both":   "Your order is placed. You are charged once the books have been checked, by you or at the desk.",
			"bought_direct": "Your order is placed. You pay the seller when you meet.",
		},
	}
}

type cartView struct {
	Error                  string
	Items                  []cartItem
	Available, Unavailable int // how many books can be bought, and how many no longer
	Price, Fee, Total      money.Amount
	Key                    string   // the idempotency key of the checkout
	Trade                  web.Form // what the buyer's profile is without
}

type cartItem struct {
	buying.CartItem
	Fee money.Amount
}

// cart serves GET /cart.
func (p *Pages) cart(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showCart(w, r, by, http.StatusOK, "", nil)
}

func (p *Pages) showCart(w http.ResponseWriter, r *http.Request, by user.Caller, status int, message string, refusal error) error {
	items, _, err := p.Market.Carts.List(r.Context(), by, market.Page{Limit: buying.MaxCart})
	if err != nil {
		return err
	}
	v := cartView{Error: message, Key: rand.Text(), Trade: web.Form{Fields: p.MissingTradeFields(r, by, r.PostForm)}}
	if refusal != nil {
		v.Trade = v.Trade.WithErrors(web.LangOf(r), refusal)
	}
	for _, i := range items {
		fee := p.Market.Checkout.Fee(i.Price)
		v.Items = append(v.Items, cartItem{i, fee})
		if !i.Available {
			v.Unavailable++
			continue
		}
		v.Available++
		v.Price, v.Fee, v.Total = v.Price+i.Price, v.Fee+fee, v.Total+i.Price+fee
	}
	return p.Show(w, r, status, "cart", "Your cart", v)
}

// addToCart serves POST /cart/add and redirects to the page with the button.
func (p *Pages) addToCart(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if err := p.Market.Carts.Add(r.Context(), by, web.IDOf[book.ID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.RedirectAbout(w, r, r.PostForm.Get("back"), "added", web.IDOf[book.ID](r.PostForm.Get("id")))
}

// removeFromCart serves POST /cart/remove.
func (p *Pages) removeFromCart(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if err := p.Market.Carts.Remove(r.Context(), by, web.IDOf[book.ID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.RedirectAbout(w, r, "/cart", "removed", web.IDOf[book.ID](r.PostForm.Get("id")))
}

// clearCart serves POST /cart/clear.
func (p *Pages) clearCart(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Market.Carts.Clear(r.Context(), by)
	return p.Done(w, r, err, "/cart", "cleared")
}

// boughtFlash is what is said after a purchase: who checks the books depends on how they change hands.
var boughtFlash = map[meeting.Mode]string{meeting.Desk: "bought", meeting.Meet: "bought_meet", meeting.Both: "bought_both"}

// buy serves POST /cart/buy. It buys all books at the total that the page has shown,
// or nothing: people agree only to the price they have seen.
func (p *Pages) buy(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	texts := r.PostForm["id"]
	ids := make([]book.ID, len(texts))
	for i, s := range texts {
		ids[i] = web.IDOf[book.ID](s)
	}
	if err := p.SaveTradeFields(r, by); err != nil {
		return p.refuseCheckout(w, r, by, err)
	}
	total, _ := p.Currency.Parse(r.PostForm.Get("total")) // 0 matches no sale
	receipt, err := p.Market.Checkout.Do(r.Context(), by, buying.Basket{
		Books: ids, Total: &total,
		Key: market.IdempotencyKey{Value: r.PostForm.Get("key"), BodyHash: sha256.Sum256([]byte(strings.Join(append(texts, p.Currency.Format(total)), " ")))},
	})
	flash := boughtFlash[p.Handover()]
	if p.PaysDirectly() {
		flash = "bought_direct"
	}
	switch {
	case err == nil && len(receipt.Orders) == 1:
		id := receipt.Orders[0].ID
		return p.Redirect(w, r, orderPath+"?id="+id.String(), web.AboutOrder(flash, id))
	case err == nil:
		return p.Redirect(w, r, "/purchases", flash)
	}
	return p.refuseCheckout(w, r, by, err)
}

// refuseCheckout shows the cart with what is wrong, if the buyer can do something about it.
func (p *Pages) refuseCheckout(w http.ResponseWriter, r *http.Request, by user.Caller, err error) error {
	if errors.Is(err, book.ErrNotAvailable) {
		return p.showCart(w, r, by, http.StatusConflict, web.Translate(web.LangOf(r), "The books marked below have just been sold to someone else. Nothing was bought; you can still buy the remaining books."), nil)
	}
	kind := fault.KindOf(err)
	if kind == fault.Invalid || kind == fault.Conflict || kind == fault.Limited || errors.Is(err, user.ErrProfileNeeded) && web.CanRetry(err) {
		return p.showCart(w, r, by, httpx.Status(err), web.ErrorMessage(web.LangOf(r), err), err)
	}
	return err
}
