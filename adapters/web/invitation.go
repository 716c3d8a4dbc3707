package web

import (
	"errors"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpkit"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// maxForm bounds a form: a token and a password.
const maxForm = 16 << 10

type formView struct {
	Head, Text, Trouble, Action, Token, Password, Hint, Button string
}

type noticeView struct {
	Head, Text, Back string
	Alert            bool
}

type invitationWords struct {
	form                          formView
	welcome, password, gone, away noticeView
}

var invitationSays = map[user.Lang]invitationWords{
	user.EN: {
		form: formView{
			Head: "Welcome to Octavo", Text: "Accept the invitation to open your account and sign in on this device.", Action: "/invitation",
			Password: "Password (you can also set one later)", Hint: "8 to 128 characters. A few words in a row are good; common passwords are refused.", Button: "Accept",
		},
		welcome:  noticeView{Head: "You are in", Text: "Your account is open and you are signed in on this device.", Back: "To the front page"},
		password: noticeView{Text: "This password cannot be used. Take 8 to 128 characters that are not a common password and not your address."},
		gone:     noticeView{Head: "This invitation is not valid", Text: "It was used, replaced by a newer one, or has expired. Ask whoever invited you to send it again.", Alert: true},
		away:     noticeView{Text: "That did not work at the moment. Please try again soon."},
	},
	user.FR: {
		form: formView{
			Head: "Bienvenue sur Octavo", Text: "Acceptez l’invitation pour ouvrir votre compte et vous connecter sur cet appareil.", Action: "/invitation",
			Password: "Mot de passe (vous pouvez aussi en choisir un plus tard)", Hint: "De 8 à 128 caractères. Quelques mots à la suite font l’affaire ; les mots de passe courants sont refusés.", Button: "Accepter",
		},
		welcome:  noticeView{Head: "C’est fait", Text: "Votre compte est ouvert et vous êtes connecté·e sur cet appareil.", Back: "À la page d’accueil"},
		password: noticeView{Text: "Ce mot de passe ne convient pas. Choisissez de 8 à 128 caractères, ni un mot de passe courant ni votre adresse."},
		gone:     noticeView{Head: "Cette invitation n’est pas valable", Text: "Elle a servi, a été remplacée par une plus récente ou a expiré. Demandez à la personne qui vous a invité·e de la renvoyer.", Alert: true},
		away:     noticeView{Text: "Cela n’a pas fonctionné pour le moment. Veuillez réessayer bientôt."},
	},
}

// askInvitation serves GET /invitation. It uses nothing up: mail scanners open
// links too.
func (p *Pages) askInvitation(w http.ResponseWriter, r *http.Request) {
	lang := langOf(r)
	says := invitationSays[lang]
	if r.URL.Query().Get("token") == "" {
		p.show(w, r, http.StatusNotFound, "notice", frame{lang, says.gone.Head, says.gone})
		return
	}
	says.form.Token = r.URL.Query().Get("token")
	p.show(w, r, http.StatusOK, "form", frame{lang, says.form.Head, says.form})
}

// acceptInvitation serves POST /invitation, what the form sends. Other sites
// cannot send it: they could sign a visitor in to an account of theirs.
func (p *Pages) acceptInvitation(w http.ResponseWriter, r *http.Request) {
	lang := langOf(r)
	says := invitationSays[lang]
	if !p.readForm(w, r, lang) {
		return
	}
	var password *string
	if typed := r.PostForm.Get("password"); typed != "" {
		password = &typed
	}
	grant, err := p.Invitations.Accept(r.Context(), r.PostForm.Get("token"), password, httpkit.Source(r.Context()))
	if err != nil {
		p.invitationTrouble(w, r, lang, err)
		return
	}
	p.signIn(w, grant)
	p.show(w, r, http.StatusOK, "notice", frame{lang, says.welcome.Head, says.welcome})
}

func (p *Pages) invitationTrouble(w http.ResponseWriter, r *http.Request, lang user.Lang, err error) {
	says := invitationSays[lang]
	if errors.Is(err, challenge.ErrCodeInvalid) {
		p.show(w, r, http.StatusNotFound, "notice", frame{lang, says.gone.Head, says.gone})
		return
	}
	says.form.Token = r.PostForm.Get("token")
	says.form.Trouble = says.away.Text
	if fault.KindOf(err) == fault.Invalid {
		says.form.Trouble = says.password.Text
	}
	p.log(r, "accept an invitation", err)
	httpkit.SetRetryAfter(w.Header(), err)
	p.show(w, r, httpkit.Status(err), "form", frame{lang, says.form.Head, says.form})
}

func (p *Pages) signIn(w http.ResponseWriter, g auth.Grant) {
	p.Cookies.Set(w, httpkit.Tokens{
		Access: g.AccessToken, AccessFor: g.ExpiresIn,
		Refresh: g.RefreshToken, RefreshFor: g.Session.ExpiresAt().Sub(g.Session.LastSeenAt),
	})
}
