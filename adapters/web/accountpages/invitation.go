package accountpages

import (
	"errors"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/challenge"
)

// invitationPages accepts invitations.
func (p *Pages) invitationPages() (f web.Feature) {
	if p.AcceptInvitation != nil {
		f.Routes = []*web.Route{web.Get("/invitation", p.Unguarded(p.showInvitation)), web.Post("/invitation", p.Unguarded(p.acceptInvitation))}
	}
	return f
}

func invitationForm(token string) web.FormView {
	return web.FormView{
		Head: "Welcome", Text: "Accept the invitation to open your account and sign in on this device.",
		Form: web.Form{Action: "/invitation", Button: "Accept", Hidden: []web.Hidden{{Name: "token", Value: token}}, Fields: []web.Field{
			{Name: "password", Label: "Password", Type: "password", Autocomplete: "new-password", Max: 512, Optional: true, Hint: "You can also set one later. " + passwordHint},
		}},
	}
}

// showInvitation serves GET /invitation. It accepts nothing: mail scanners open links,
// too.
func (p *Pages) showInvitation(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	if token == "" {
		p.renderInvalidInvitation(w, r)
		return
	}
	if p.externalOnly() {
		p.RenderForm(w, r, web.FormView{Head: "Welcome", Text: "Sign in with one of these services. That opens the account to which you are invited.", Providers: p.providerLinks("")})
		return
	}
	p.RenderForm(w, r, invitationForm(token))
}

func (p *Pages) renderInvalidInvitation(w http.ResponseWriter, r *http.Request) {
	p.RenderError(w, r, http.StatusNotFound, "This invitation is not valid",
		"It has been used, replaced by a newer one, or has expired. If you have just accepted it, your account is open. Otherwise, ask the person who invited you for a new one.")
}

// acceptInvitation serves POST /invitation. It refuses forms of other sites, which
// could sign a viewer in to an account of theirs.
func (p *Pages) acceptInvitation(w http.ResponseWriter, r *http.Request) {
	if !p.ReadForm(w, r) {
		return
	}
	token := r.PostForm.Get("token")
	var password *string
	if typed := r.PostForm.Get("password"); typed != "" {
		password = &typed
	}
	grant, err := p.AcceptInvitation(r.Context(), token, password, httpx.ClientInfo(r.Context()))
	switch {
	case err == nil:
		p.ReplaceSession(w, r, grant)
		p.RenderMessage(w, p.WithSignedIn(r, grant), "You are all set", "Your account is open and you are signed in on this device.")
	case errors.Is(err, challenge.ErrCodeInvalid):
		p.renderInvalidInvitation(w, r)
	default:
		p.RenderFormError(w, r, invitationForm(token), err)
	}
}
