package buyingpages

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/user"
)

// ratingPages has the form with which the sides of a sale say whether it was as described.
func (p *Pages) ratingPages() web.Feature {
	return web.Feature{
		Routes:  []*web.Route{web.Post(ratePath, p.ForStudents(p.rateOrder)).Restores(web.Restored("Was it as described?", *rateForm(0, nil)))},
		Flashes: map[string]string{"rated": "Thank you. You can change it until 14 days after the delivery."},
	}
}

const ratePath = "/order/rate"

// rateForm asks whether a sale was as described, with what the viewer has said already.
func rateForm(id order.ID, said *rating.Rating) *web.Form {
	f := web.Form{Action: ratePath, Button: "Send", Hidden: []web.Hidden{{Name: "id", Value: id.String()}}, Fields: []web.Field{
		{Name: "described", Label: "Was it as described?", Type: "choice", Value: "yes", Options: []web.Option{{Value: "yes", Label: "Yes"}, {Value: "no", Label: "No"}}},
		{Name: "text", Label: "In one line", Max: rating.MaxText, Optional: true, Hint: "Both of you and our admins can read it."},
	}}
	if said != nil {
		f.Fields[1].Value = said.Text
		if !said.AsDescribed {
			f.Fields[0].Value = "no"
		}
	}
	return &f
}

// addRatings adds what both sides say about an order to its page.
func (p *Pages) addRatings(r *http.Request, by user.Caller, v *orderView) error {
	found, err := p.Market.Trust.OfOrder(r.Context(), by, v.Order)
	if err != nil {
		return err
	}
	v.Ratings = found
	if found.Open && !v.Admin {
		said := found.Buyer
		if v.Selling {
			said = found.Seller
		}
		v.Rate, v.Rated = rateForm(v.ID, said), said != nil
	}
	return nil
}

// rateOrder serves POST /order/rate.
func (p *Pages) rateOrder(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	f := r.PostForm
	id := web.IDOf[order.ID](f.Get("id"))
	if err := p.Market.Trust.Rate(r.Context(), by, id, f.Get("described") != "no", f.Get("text")); err != nil {
		return p.RetryForm(w, r, web.FormView{Head: "Was it as described?", Form: *rateForm(id, nil)}, err)
	}
	return p.Redirect(w, r, orderPath+"?id="+id.String(), "rated")
}
