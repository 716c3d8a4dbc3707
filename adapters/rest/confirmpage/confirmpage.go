// Package confirmpage shows the page that the link in a confirmation mail opens.
package confirmpage

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/sessions"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

//go:embed confirm.html.tmpl
var templateText string

// Page is an HTML page without its layout.
type Page struct {
	Status int
	Lang   user.Lang
	Title  string
	Main   template.HTML
}

// Layout renders a page with the head, header and style sheet of all pages.
type Layout func(http.ResponseWriter, *http.Request, Page)

// Deps are what the page needs. All are required.
type Deps struct {
	Accounts       *account.Accounts
	Sessions       *sessions.Sessions
	Cookies        httpx.Cookies
	Layout         Layout
	LogServerError func(*gin.Context, error) // logs an error unless the client has caused it
}

// Pages shows the page in its states.
type Pages struct {
	Deps
	template *template.Template
}

// New parses the template.
func New(d Deps) (*Pages, error) {
	t, err := template.New("confirm").Parse(templateText)
	if err != nil {
		return nil, fmt.Errorf("confirmpage: %w", err)
	}
	return &Pages{d, t}, nil
}

// Ask shows the form that confirms.
func (p *Pages) Ask(c *gin.Context) { p.ask(c, http.StatusOK) }

// ask shows the form that confirms. A status other than 200 shows that the password was refused.
func (p *Pages) ask(c *gin.Context, status int) {
	pending, err := p.Accounts.Pending(c.Request.Context(), c.Param("token"))
	switch {
	case err != nil:
		p.refuse(c, err)
	case pending.Done:
		p.confirmed(c)
	default:
		v := ask[langOf(c)]
		f := *v.Ask
		f.Name, f.Email = pending.Name, string(pending.Email)
		if status == http.StatusOK {
			f.Refusal = ""
		}
		v.Ask = &f
		p.render(c, status, v)
	}
}

// Confirm confirms with a password, which may be empty, signs in the browser that signed up and leads it to the home
// page, or back to the application from which the person came. It leads another one to the sign-in page first.
func (p *Pages) Confirm(c *gin.Context, password string) {
	ctx, signedUp := c.Request.Context(), user.Email("")
	c.Header("X-Robots-Tag", "noindex")
	next := "/"
	if pending, err := p.Accounts.Pending(ctx, c.Param("token")); err == nil && pending.Request != "" { // the core has sealed it
		next = "/oauth2/consent?request=" + url.QueryEscape(pending.Request)
	}
	tokens, err := p.Accounts.ConfirmInBrowser(ctx, c.Param("token"), password, httpx.ClientInfo(ctx), func(email user.Email) bool {
		signedUp = email
		return p.Cookies.SignedUp(c.Request, string(email))
	})
	if err != nil {
		p.refuse(c, err)
		return
	}
	if tokens.AccessToken == "" {
		p.leadToSignIn(c, next)
		return
	}
	if by, err := httpx.CallerFrom(ctx); err == nil && by.SignedIn() { // nobody has the tokens of that session any more
		if err := p.Sessions.SignOut(ctx, by); err != nil {
			p.LogServerError(c, err)
		}
	}
	p.Cookies.ClearSignedUp(c.Writer, c.Request, string(signedUp))
	p.Cookies.SetTokens(c.Writer, httpx.Tokens{
		Access: tokens.AccessToken, AccessFor: tokens.ExpiresIn,
		Refresh: tokens.RefreshToken, RefreshFor: tokens.Session.ExpiresAt().Sub(tokens.Session.LastUsedAt),
		Device: tokens.Device, DeviceFor: session.DeviceLifetime,
	})
	if next == "/" {
		p.Cookies.SetFlash(c.Writer, next, "welcome")
	}
	c.Redirect(http.StatusSeeOther, next)
}

// leadToSignIn redirects to the sign-in page, unless the account has no password yet.
func (p *Pages) leadToSignIn(c *gin.Context, next string) {
	needed, err := p.Accounts.PasswordNeeded(c.Request.Context(), c.Param("token"))
	if err != nil || needed {
		p.confirmed(c)
		return
	}
	p.Cookies.SetFlash(c.Writer, "/login", "verified")
	if next != "/" {
		c.Redirect(http.StatusSeeOther, "/login?next="+url.QueryEscape(next))
		return
	}
	c.Redirect(http.StatusSeeOther, "/login")
}

// confirmed shows the page with the next step after confirming.
func (p *Pages) confirmed(c *gin.Context) {
	v := done
	needed, err := p.Accounts.PasswordNeeded(c.Request.Context(), c.Param("token"))
	if err != nil { // the link can be used again
		p.refuse(c, err)
		return
	}
	if needed {
		v = noPassword
	}
	p.render(c, http.StatusOK, v[langOf(c)])
}

// refuse shows err as a page.
func (p *Pages) refuse(c *gin.Context, err error) {
	switch {
	case errors.Is(err, user.ErrPasswordInvalid):
		p.ask(c, http.StatusBadRequest)
		return
	case errors.Is(err, account.ErrAlreadyConfirmed):
		p.render(c, http.StatusConflict, before[langOf(c)])
		return
	case fault.KindOf(err) == fault.NotFound:
		p.render(c, http.StatusNotFound, gone[langOf(c)])
		return
	}
	p.LogServerError(c, err)
	httpx.SetRetryAfter(c.Writer.Header(), err)
	p.render(c, httpx.Status(err), later[langOf(c)])
}

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

// render renders the page.
func (p *Pages) render(c *gin.Context, status int, v view) {
	var buf bytes.Buffer
	if err := p.template.Execute(&buf, v); err != nil {
		p.LogServerError(c, err)
		c.AbortWithStatus(http.StatusInternalServerError)
		return
	}
	c.Header("X-Robots-Tag", "noindex")
	p.Layout(c.Writer, c.Request, Page{status, v.Lang, v.Title, template.HTML(buf.String())}) //nolint:gosec // from our own html/template
}
