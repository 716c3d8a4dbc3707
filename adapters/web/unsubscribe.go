package web

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpkit"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

type unsubscribeWords struct {
	form             formView
	done, gone, away noticeView
}

var unsubscribeSays = map[user.Lang]unsubscribeWords{
	user.EN: {
		form: formView{Head: "Fewer mails", Text: "Press the button to get no more mails about matches and listings. Mails about your orders and your account go on.", Action: "/unsubscribe", Button: "Stop these mails"},
		done: noticeView{Head: "Done", Text: "You will get no more mails about matches and listings. You still find them among your notifications.", Back: "To the front page"},
		gone: noticeView{Head: "This link is not complete", Text: "Please copy all of it from the mail.", Alert: true},
		away: noticeView{Head: "Not now", Text: "That did not work at the moment. Please try again soon.", Alert: true},
	},
	user.FR: {
		form: formView{Head: "Moins de courriels", Text: "Appuyez sur le bouton pour ne plus recevoir de courriels sur les correspondances et les annonces. Ceux qui concernent vos commandes et votre compte continuent.", Action: "/unsubscribe", Button: "Arrêter ces courriels"},
		done: noticeView{Head: "C’est fait", Text: "Vous ne recevrez plus de courriels sur les correspondances et les annonces. Vous les trouverez toujours parmi vos notifications.", Back: "À la page d’accueil"},
		gone: noticeView{Head: "Ce lien n’est pas complet", Text: "Veuillez le copier en entier depuis le courriel.", Alert: true},
		away: noticeView{Head: "Pas maintenant", Text: "Cela n’a pas fonctionné pour le moment. Veuillez réessayer bientôt.", Alert: true},
	},
}

// askUnsubscribe serves GET /unsubscribe. It stops nothing yet: mail scanners
// open links too.
func (p *Pages) askUnsubscribe(w http.ResponseWriter, r *http.Request) {
	lang := langOf(r)
	says := unsubscribeSays[lang]
	says.form.Token = r.URL.Query().Get("token")
	if _, err := p.Unsubscribing.Reader(says.form.Token); err != nil {
		p.show(w, r, http.StatusNotFound, "notice", frame{lang, says.gone.Head, says.gone})
		return
	}
	p.show(w, r, http.StatusOK, "form", frame{lang, says.form.Head, says.form})
}

// unsubscribe serves POST /unsubscribe: what the button sends, and what mail
// programs send for their own button (RFC 8058), with the token in the address.
func (p *Pages) unsubscribe(w http.ResponseWriter, r *http.Request) {
	lang := langOf(r)
	says := unsubscribeSays[lang]
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		unreadable := formSays[lang].unreadable
		p.show(w, r, http.StatusBadRequest, "notice", frame{lang, unreadable.Head, unreadable})
		return
	}
	switch err := p.Unsubscribing.Do(r.Context(), r.Form.Get("token")); {
	case err == nil:
		p.show(w, r, http.StatusOK, "notice", frame{lang, says.done.Head, says.done})
	case fault.KindOf(err) == fault.NotFound:
		p.show(w, r, http.StatusNotFound, "notice", frame{lang, says.gone.Head, says.gone})
	default:
		p.log(r, "unsubscribe", err)
		httpkit.SetRetryAfter(w.Header(), err)
		p.show(w, r, httpkit.Status(err), "notice", frame{lang, says.away.Head, says.away})
	}
}
