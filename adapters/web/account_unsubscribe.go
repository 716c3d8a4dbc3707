package web

import (
	"net/http"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/fault"
)

// unsubscribePages ends mails of a kind.
func (p *Pages) unsubscribePages() (f feature) {
	if p.Unsubscriber != nil {
		f.routes = []*Route{get("/unsubscribe", p.unguarded(p.showUnsubscribe)), post("/unsubscribe", p.unguarded(p.unsubscribe))}
	}
	return f
}

func unsubscribeForm(token string, stop mailer.Stop) formView {
	if stop.Several() {
		return formView{
			Head: "Stop these emails", Text: "Press the button to stop emails about the saved searches of this email. Your other searches are not affected, and new books still appear in your notifications.",
			Form: form{Action: "/unsubscribe", Button: "Stop emails", Hidden: []hidden{{"token", token}}},
		}
	}
	if stop.Subscription != "" {
		return formView{
			Head: "Stop these emails", Text: "Press the button to stop emails about this saved search. Your other searches are not affected, and new books still appear in your notifications.",
			Form: form{Action: "/unsubscribe", Button: "Stop emails", Hidden: []hidden{{"token", token}}},
		}
	}
	return formView{
		Head: "Unsubscribe", Text: "Press the button to stop emails about matches, saved searches, messages and listings. You will still receive emails about your orders and your account.",
		Form: form{Action: "/unsubscribe", Button: "Unsubscribe", Hidden: []hidden{{"token", token}}},
	}
}

func (p *Pages) renderInvalidUnsubscribe(w http.ResponseWriter, r *http.Request) {
	p.renderError(w, r, http.StatusNotFound, "This link is incomplete", "Please copy the whole link from the email.")
}

// showUnsubscribe serves GET /unsubscribe. It unsubscribes nobody: mail
// scanners open links, too.
func (p *Pages) showUnsubscribe(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	stop, err := p.Unsubscriber.ReadToken(token)
	if err != nil {
		p.renderInvalidUnsubscribe(w, r)
		return
	}
	p.renderForm(w, r, unsubscribeForm(token, stop))
}

// unsubscribe serves POST /unsubscribe from the button of the page and from mail
// clients (RFC 8058), which send the token in the query.
func (p *Pages) unsubscribe(w http.ResponseWriter, r *http.Request) {
	if !p.parseForm(w, r) {
		return
	}
	switch stop, err := p.Unsubscriber.Unsubscribe(r.Context(), r.Form.Get("token")); {
	case err == nil && stop.Several():
		p.renderMessage(w, r, "Done", "You will no longer receive emails about these saved searches. New books still appear in your notifications.")
	case err == nil && stop.Subscription != "":
		p.renderMessage(w, r, "Done", "You will no longer receive emails about this saved search. New books still appear in your notifications.")
	case err == nil:
		p.renderMessage(w, r, "Done", "You will no longer receive emails about matches, saved searches, messages and listings. They still appear in your notifications.")
	case fault.KindOf(err) == fault.NotFound:
		p.renderInvalidUnsubscribe(w, r)
	default:
		p.handleError(w, r, err)
	}
}
