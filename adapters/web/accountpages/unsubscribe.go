package accountpages

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/fault"
)

// unsubscribePages ends mails of a kind.
func (p *Pages) unsubscribePages() (f web.Feature) {
	if p.Unsubscriber != nil {
		f.Routes = []*web.Route{web.Get("/unsubscribe", p.Unguarded(p.showUnsubscribe)), web.Post("/unsubscribe", p.Unguarded(p.unsubscribe))}
	}
	return f
}

func unsubscribeForm(token string, stop mailer.Stop) web.FormView {
	if stop.Several() {
		return web.FormView{
			Head: "Stop these emails", Text: "Press the button to stop emails about the saved searches of this email. Your other searches are not affected, and new books still appear in your notifications.",
			Form: web.Form{Action: "/unsubscribe", Button: "Stop emails", Hidden: []web.Hidden{{Name: "token", Value: token}}},
		}
	}
	if stop.Subscription != "" {
		return web.FormView{
			Head: "Stop these emails", Text: "Press the button to stop emails about this saved search. Your other searches are not affected, and new books still appear in your notifications.",
			Form: web.Form{Action: "/unsubscribe", Button: "Stop emails", Hidden: []web.Hidden{{Name: "token", Value: token}}},
		}
	}
	return web.FormView{
		Head: "Unsubscribe", Text: "Press the button to stop emails about matches, saved searches, messages and listings. You will still receive emails about your orders and your account.",
		Form: web.Form{Action: "/unsubscribe", Button: "Unsubscribe", Hidden: []web.Hidden{{Name: "token", Value: token}}},
	}
}

func (p *Pages) renderInvalidUnsubscribe(w http.ResponseWriter, r *http.Request) {
	p.RenderError(w, r, http.StatusNotFound, "This link is incomplete", "Please copy the whole link from the email.")
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
	p.RenderForm(w, r, unsubscribeForm(token, stop))
}

// unsubscribe serves POST /unsubscribe from the button of the page and from mail
// clients (RFC 8058), which send the token in the query.
func (p *Pages) unsubscribe(w http.ResponseWriter, r *http.Request) {
	if !p.ParseForm(w, r) {
		return
	}
	switch stop, err := p.Unsubscriber.Unsubscribe(r.Context(), r.Form.Get("token")); {
	case err == nil && stop.Several():
		p.RenderMessage(w, r, "Done", "You will no longer receive emails about these saved searches. New books still appear in your notifications.")
	case err == nil && stop.Subscription != "":
		p.RenderMessage(w, r, "Done", "You will no longer receive emails about this saved search. New books still appear in your notifications.")
	case err == nil:
		p.RenderMessage(w, r, "Done", "You will no longer receive emails about matches, saved searches, messages and listings. They still appear in your notifications.")
	case fault.KindOf(err) == fault.NotFound:
		p.renderInvalidUnsubscribe(w, r)
	default:
		p.HandleError(w, r, err)
	}
}
