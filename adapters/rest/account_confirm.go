package rest

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

func (h *Handler) confirmOperations() feature {
	return feature{raw: map[string]gin.HandlerFunc{"openConfirmLink": h.openConfirmLink, "confirm": h.confirm}}
}

// openConfirmLink serves GET /api/auth/confirm/:token. It confirms only for clients
// that accept JSON and not HTML, and never for HEAD: mail scanners open links, too.
func (h *Handler) openConfirmLink(c *gin.Context) {
	accept := c.GetHeader("Accept")
	if strings.Contains(accept, "application/json") && !wantsPage(c) && !httpx.IsHead(c.Request.Context()) {
		h.confirm(c)
		return
	}
	h.renderConfirmForm(c, http.StatusOK)
}

// renderConfirmForm renders the form that confirms. A status other than 200 shows that
// the password was refused.
func (h *Handler) renderConfirmForm(c *gin.Context, status int) {
	pending, err := h.Accounts.Pending(c.Request.Context(), c.Param("token"))
	switch {
	case err != nil:
		h.renderConfirmError(c, err)
	case pending.Done:
		h.renderConfirmed(c)
	default:
		view := confirmAsk[langOf(c)]
		ask := *view.Ask
		ask.Name, ask.Email = pending.Name, string(pending.Email)
		if status == http.StatusOK {
			ask.Refusal = ""
		}
		view.Ask = &ask
		h.renderPage(c, status, h.pages.confirm, view)
	}
}

// confirm serves POST /api/auth/confirm/:token.
func (h *Handler) confirm(c *gin.Context) {
	ctx := c.Request.Context()
	if wantsPage(c) {
		h.confirmInBrowser(c)
		return
	}
	switch err := h.Accounts.ConfirmLink(ctx, c.Param("token"), passwordIn(c), httpx.ClientInfo(ctx)); {
	case err != nil:
		h.abortWithError(c, err)
	default:
		c.Header("Content-Type", "application/json") // without a charset, like all other responses
		c.JSON(http.StatusOK, newEnvelope(h, c, restgen.Verified{Verified: true}))
	}
}

// confirmInBrowser confirms, signs in the browser that signed up and leads it to the home page. It leads another one to
// the sign-in page.
func (h *Handler) confirmInBrowser(c *gin.Context) {
	ctx, signedUp := c.Request.Context(), user.Email("")
	c.Header("X-Robots-Tag", "noindex")
	tokens, err := h.Accounts.ConfirmInBrowser(ctx, c.Param("token"), passwordIn(c), httpx.ClientInfo(ctx), func(email user.Email) bool {
		signedUp = email
		return h.cookies.SignedUp(c.Request, string(email))
	})
	if err != nil {
		h.renderConfirmError(c, err)
		return
	}
	if tokens.AccessToken == "" {
		h.leadToSignIn(c)
		return
	}
	if by, err := httpx.CallerFrom(ctx); err == nil && by.SignedIn() { // nobody has the tokens of that session any more
		if err := h.Sessions.SignOut(ctx, by); err != nil {
			h.logServerError(c, err)
		}
	}
	h.cookies.ClearSignedUp(c.Writer, c.Request, string(signedUp))
	h.cookies.SetTokens(c.Writer, httpx.Tokens{
		Access: tokens.AccessToken, AccessFor: tokens.ExpiresIn,
		Refresh: tokens.RefreshToken, RefreshFor: tokens.Session.ExpiresAt().Sub(tokens.Session.LastUsedAt),
		Device: tokens.Device, DeviceFor: session.DeviceLifetime,
	})
	h.cookies.SetFlash(c.Writer, "/", "welcome")
	c.Redirect(http.StatusSeeOther, "/")
}

// leadToSignIn redirects to the sign-in page, unless the account has no password yet.
func (h *Handler) leadToSignIn(c *gin.Context) {
	needed, err := h.Accounts.PasswordNeeded(c.Request.Context(), c.Param("token"))
	if err != nil || needed {
		h.renderConfirmed(c)
		return
	}
	h.cookies.SetFlash(c.Writer, "/login", "verified")
	c.Redirect(http.StatusSeeOther, "/login")
}

// passwordIn returns the password in the JSON or form body, "" if there is none.
func passwordIn(c *gin.Context) string {
	body, _ := c.Request.Body.(checkedBody)
	password, _ := body.object["password"].(string)
	return password
}

// renderConfirmed renders the page with the next step after confirming.
func (h *Handler) renderConfirmed(c *gin.Context) {
	view := confirmDone
	needed, err := h.Accounts.PasswordNeeded(c.Request.Context(), c.Param("token"))
	if err != nil { // the link can be used again
		h.renderConfirmError(c, err)
		return
	}
	if needed {
		view = confirmNoPassword
	}
	h.renderPage(c, http.StatusOK, h.pages.confirm, view[langOf(c)])
}

// renderConfirmError renders err as a page.
func (h *Handler) renderConfirmError(c *gin.Context, err error) {
	switch {
	case errors.Is(err, user.ErrPasswordInvalid):
		h.renderConfirmForm(c, http.StatusBadRequest)
		return
	case errors.Is(err, account.ErrAlreadyConfirmed):
		h.renderPage(c, http.StatusConflict, h.pages.confirm, confirmBefore[langOf(c)])
		return
	case fault.KindOf(err) == fault.NotFound:
		h.renderPage(c, http.StatusNotFound, h.pages.confirm, confirmGone[langOf(c)])
		return
	}
	h.logServerError(c, err)
	httpx.SetRetryAfter(c.Writer.Header(), err)
	h.renderPage(c, statusOf(err), h.pages.confirm, confirmLater[langOf(c)])
}

func wantsPage(c *gin.Context) bool { return strings.Contains(c.GetHeader("Accept"), "text/html") }

// langOf returns the first supported language in Accept-Language.
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
