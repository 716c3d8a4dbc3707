package web

import (
	"errors"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/challenge"
)

// noticeView is a page that only says something; Back leads To, or to the front
// page.
type noticeView struct {
	Head, Text, Back, To string
	Alert                bool
}

func invitationForm(token string) formView {
	return formView{
		Head: "Welcome to Octavo", Text: "Accept the invitation to open your account and sign in on this device.",
		Form: form{Action: "/invitation", Button: "Accept", Hidden: []hidden{{"token", token}}, Fields: []field{
			{Name: "password", Label: "Password", Type: "password", Auto: "new-password", Max: 512, Optional: true, Hint: "You can also set one later. " + passwordHint},
		}},
	}
}

// askInvitation serves GET /invitation. It uses nothing up: mail scanners open
// links too.
func (p *Pages) askInvitation(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	if token == "" {
		p.invitationGone(w, r)
		return
	}
	p.ask(w, r, invitationForm(token))
}

func (p *Pages) invitationGone(w http.ResponseWriter, r *http.Request) {
	p.refuse(w, r, http.StatusNotFound, "This invitation is not valid",
		"It has been used, replaced by a newer one, or has expired. If you have just accepted it, your account is open. Otherwise, ask the person who invited you for a new one.")
}

// acceptInvitation serves POST /invitation, what the form sends. Other sites
// cannot send it: they could sign a visitor in to an account of theirs.
func (p *Pages) acceptInvitation(w http.ResponseWriter, r *http.Request) {
	if !p.readForm(w, r) {
		return
	}
	token := r.PostForm.Get("token")
	var password *string
	if typed := r.PostForm.Get("password"); typed != "" {
		password = &typed
	}
	grant, err := p.Invitations.Accept(r.Context(), token, password, httpx.ClientInfo(r.Context()))
	switch {
	case err == nil:
		p.signIn(w, grant)
		p.tell(w, p.signedIn(r, grant), "You are all set", "Your account is open and you are signed in on this device.")
	case errors.Is(err, challenge.ErrCodeInvalid):
		p.invitationGone(w, r)
	default:
		p.showAgain(w, r, invitationForm(token), err)
	}
}
