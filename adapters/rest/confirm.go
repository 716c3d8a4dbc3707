package rest

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// openConfirmLink serves GET /api/auth/confirm/:token. Only a client that asks
// for JSON and not for a page confirms by it, and never with HEAD: mail scanners
// open links too.
func (e *Edge) openConfirmLink(c *gin.Context) {
	accept := c.GetHeader("Accept")
	if strings.Contains(accept, "application/json") && !wantsPage(c) && !httpx.IsHead(c.Request.Context()) {
		e.confirm(c)
		return
	}
	e.askToConfirm(c, http.StatusOK)
}

// askToConfirm shows what the button would confirm; after a refusal of the password
// that was typed with its status.
func (e *Edge) askToConfirm(c *gin.Context, status int) {
	pending, err := e.Accounts.Pending(c.Request.Context(), c.Param("token"))
	switch {
	case err != nil:
		e.confirmTrouble(c, err)
	case pending.Done:
		e.confirmed(c)
	default:
		view := confirmAsk[langOf(c)]
		ask := *view.Ask
		ask.Name, ask.Email = pending.Name, string(pending.Email)
		if status == http.StatusOK {
			ask.Refusal = ""
		}
		view.Ask = &ask
		e.page(c, status, e.pages.confirm, view)
	}
}

// confirm serves POST /api/auth/confirm/:token.
func (e *Edge) confirm(c *gin.Context) {
	ctx := c.Request.Context()
	err := e.Accounts.ConfirmLink(ctx, c.Param("token"), typedPassword(c), httpx.ClientInfo(ctx))
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

// typedPassword is what the body has, as JSON or as a form; "" where there is none.
func typedPassword(c *gin.Context) string {
	body, _ := c.Request.Body.(checkedBody)
	password, _ := body.object["password"].(string)
	return password
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
	switch {
	case errors.Is(err, user.ErrPasswordInvalid):
		e.askToConfirm(c, http.StatusBadRequest)
		return
	case errors.Is(err, auth.ErrAlreadyConfirmed):
		e.page(c, http.StatusConflict, e.pages.confirm, confirmBefore[langOf(c)])
		return
	case fault.KindOf(err) == fault.NotFound:
		e.page(c, http.StatusNotFound, e.pages.confirm, confirmGone[langOf(c)])
		return
	}
	e.logTrouble(c, err)
	httpx.SetRetryAfter(c.Writer.Header(), err)
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
