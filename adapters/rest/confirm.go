package rest

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpkit"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// confirmView is the page behind the link of the confirmation mail.
type confirmView struct {
	Lang                user.Lang
	Title, Text, Button string
	Go, Goal            string // where to go on, and the page's address
}

// The pages, by language.
var (
	confirmAsk = map[user.Lang]confirmView{
		user.EN: {user.EN, "Confirm your address", "Press the button to confirm your address and open your account.", "Confirm", "", ""},
		user.FR: {user.FR, "Confirmez votre adresse", "Appuyez sur le bouton pour confirmer votre adresse et ouvrir votre compte.", "Confirmer", "", ""},
	}
	confirmDone = map[user.Lang]confirmView{
		user.EN: {user.EN, "Your address is confirmed", "You can sign in now.", "", "Sign in", "/login"},
		user.FR: {user.FR, "Votre adresse est confirmée", "Vous pouvez maintenant vous connecter.", "", "Se connecter", "/login"},
	}
	confirmNoPassword = map[user.Lang]confirmView{
		user.EN: {user.EN, "Your address is confirmed", "More than one sign-up with different passwords was made for it, so none of them was kept. We have mailed you a code; set your password with it, then sign in.", "", "Set the password", "/reset"},
		user.FR: {user.FR, "Votre adresse est confirmée", "Plusieurs inscriptions avec des mots de passe différents ont été faites pour elle ; aucun n’a donc été gardé. Nous vous avons envoyé un code : choisissez avec lui votre mot de passe, puis connectez-vous.", "", "Choisir le mot de passe", "/reset"},
	}
	confirmGone = map[user.Lang]confirmView{
		user.EN: {user.EN, "This link does not work", "It may have expired after 24 hours, or a newer one was sent. Ask for a new one and try again.", "", "Send another one", "/resend"},
		user.FR: {user.FR, "Ce lien ne fonctionne pas", "Il a peut-être expiré après 24 heures, ou un lien plus récent a été envoyé. Demandez-en un nouveau et réessayez.", "", "En envoyer un autre", "/resend"},
	}
	confirmLater = map[user.Lang]confirmView{
		user.EN: {user.EN, "Please try again", "This does not work right now. Your link stays good; try again in a moment.", "", "", ""},
		user.FR: {user.FR, "Veuillez réessayer", "Cela ne fonctionne pas pour le moment. Votre lien reste valable ; réessayez dans un instant.", "", "", ""},
	}
)

// openConfirmLink serves GET /api/auth/confirm/:token. Only a client that asks
// for JSON and not for a page confirms by it, and never with HEAD: mail scanners
// open links too.
func (e *Edge) openConfirmLink(c *gin.Context) {
	accept := c.GetHeader("Accept")
	if strings.Contains(accept, "application/json") && !wantsPage(c) && !httpkit.AskedByHead(c.Request.Context()) {
		e.confirm(c)
		return
	}
	if err := e.Accounts.LinkAlive(c.Request.Context(), c.Param("token")); err != nil {
		e.confirmTrouble(c, err)
		return
	}
	e.page(c, http.StatusOK, e.pages.confirm, confirmAsk[langOf(c)])
}

// confirm serves POST /api/auth/confirm/:token.
func (e *Edge) confirm(c *gin.Context) {
	ctx := c.Request.Context()
	err := e.Accounts.ConfirmLink(ctx, c.Param("token"), httpkit.Source(ctx))
	switch {
	case err != nil && wantsPage(c):
		e.confirmTrouble(c, err)
	case err != nil:
		e.refuse(c, err)
	case wantsPage(c):
		e.confirmed(c)
	default:
		c.Header("Content-Type", "application/json") // without a charset, as all other answers
		c.JSON(http.StatusOK, answer(e, c, restgen.Verified{Verified: true}))
	}
}

// confirmed says on a page what is left to do.
func (e *Edge) confirmed(c *gin.Context) {
	view := confirmDone
	needed, err := e.Accounts.PasswordNeeded(c.Request.Context(), c.Param("token"))
	if err != nil { // confirming again is fine
		e.confirmTrouble(c, err)
		return
	}
	if needed {
		view = confirmNoPassword
	}
	e.page(c, http.StatusOK, e.pages.confirm, view[langOf(c)])
}

// confirmTrouble says on a page what refuse says in JSON.
func (e *Edge) confirmTrouble(c *gin.Context, err error) {
	if fault.KindOf(err) == fault.NotFound {
		e.page(c, http.StatusNotFound, e.pages.confirm, confirmGone[langOf(c)])
		return
	}
	e.logTrouble(c, err)
	httpkit.SetRetryAfter(c.Writer.Header(), err)
	e.page(c, statusOf(err), e.pages.confirm, confirmLater[langOf(c)])
}

func wantsPage(c *gin.Context) bool { return strings.Contains(c.GetHeader("Accept"), "text/html") }

// langOf is the first language of the browser that there is a page in.
func langOf(c *gin.Context) user.Lang {
	for tag := range strings.SplitSeq(c.GetHeader("Accept-Language"), ",") {
		switch primary, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-"); {
		case strings.HasPrefix(primary, "fr"):
			return user.FR
		case strings.HasPrefix(primary, "en"):
			return user.EN
		}
	}
	return user.EN
}
