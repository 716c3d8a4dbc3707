package web

import (
	"net/http"

	"github.com/octavo-books/octavo/domain/fault"
)

func unsubscribeForm(token string) formView {
	return formView{
		Head: "Unsubscribe", Text: "Press the button to stop emails about matches and listings. You will still receive emails about your orders and your account.",
		Form: form{Action: "/unsubscribe", Button: "Unsubscribe", Hidden: []hidden{{"token", token}}},
	}
}

func (p *Pages) unsubscribeIncomplete(w http.ResponseWriter, r *http.Request) {
	p.refuse(w, r, http.StatusNotFound, "This link is incomplete", "Please copy the whole link from the email.")
}

// askUnsubscribe serves GET /unsubscribe. It stops nothing yet: mail scanners
// open links too.
func (p *Pages) askUnsubscribe(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	if _, err := p.Unsubscriber.ReadToken(token); err != nil {
		p.unsubscribeIncomplete(w, r)
		return
	}
	p.ask(w, r, unsubscribeForm(token))
}

// unsubscribe serves POST /unsubscribe: what the button sends, and what mail
// programs send for their own button (RFC 8058), with the token in the address.
func (p *Pages) unsubscribe(w http.ResponseWriter, r *http.Request) {
	if !p.parseForm(w, r) {
		return
	}
	switch err := p.Unsubscriber.Unsubscribe(r.Context(), r.Form.Get("token")); {
	case err == nil:
		p.tell(w, r, "Done", "You will no longer receive emails about matches and listings. They still appear in your notifications.")
	case fault.KindOf(err) == fault.NotFound:
		p.unsubscribeIncomplete(w, r)
	default:
		p.trouble(w, r, err)
	}
}
