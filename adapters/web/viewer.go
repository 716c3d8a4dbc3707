package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// viewer is the person who views a page. err is set if a store that is down makes
// authentication impossible.
type viewer struct {
	By  user.Caller
	err error
}

type viewerKey struct{}

// withViewer authenticates the request once. If the access token has expired, it
// renews it with the refresh token.
func (p *Pages) withViewer(next http.HandlerFunc) http.HandlerFunc {
	if p.Identity == nil {
		return next
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if _, known := r.Context().Value(viewerKey{}).(viewer); known {
			next(w, r)
			return
		}
		by, err := p.authenticate(w, r)
		next(w, r.WithContext(context.WithValue(r.Context(), viewerKey{}, viewer{by, err})))
	}
}

// ViewerOf returns the viewer, or nobody for a request without withViewer.
func ViewerOf(r *http.Request) viewer {
	v, _ := r.Context().Value(viewerKey{}).(viewer)
	return v
}

// Caller returns who makes a request, for pages of other adapters. It renews an expired
// access token as the pages here do.
func (p *Pages) Caller(w http.ResponseWriter, r *http.Request) (user.Caller, error) {
	if p.Identity == nil {
		return httpx.CallerFrom(r.Context())
	}
	return p.authenticate(w, r)
}

// authenticate returns the caller of the access token or, if that is invalid, of
// the refresh token. If both are invalid, it returns the zero Caller.
func (p *Pages) authenticate(w http.ResponseWriter, r *http.Request) (user.Caller, error) {
	by, err := httpx.CallerFrom(r.Context())
	if err == nil && by.SignedIn() || err != nil && fault.KindOf(err) != fault.Unauthenticated {
		return by, err
	}
	refresh := p.Cookies.RefreshToken(r)
	if refresh == "" || !httpx.HasCookieCredential(r.Context()) { // a cookie does not replace an invalid header
		return user.Caller{Unknown: by.Unknown}, nil
	}
	grant, err := p.Identity.Sessions.Refresh(r.Context(), refresh, httpx.ClientInfo(r.Context()))
	if fault.KindOf(err) == fault.Unauthenticated {
		p.Cookies.ClearTokens(w)
		return user.Caller{}, nil
	}
	if err != nil {
		return user.Caller{}, err
	}
	p.setTokens(w, grant)
	return p.Identity.Gate.Authenticate(r.Context(), grant.AccessToken, httpx.ClientInfo(r.Context()))
}

// WithSignedIn returns the request with the viewer who has just signed in with it.
func (p *Pages) WithSignedIn(r *http.Request, g auth.TokenPair) *http.Request {
	if p.Identity == nil {
		return r
	}
	by, err := p.Identity.Gate.Authenticate(r.Context(), g.AccessToken, httpx.ClientInfo(r.Context()))
	return r.WithContext(context.WithValue(r.Context(), viewerKey{}, viewer{by, err}))
}

func (p *Pages) setTokens(w http.ResponseWriter, g auth.TokenPair) {
	p.Cookies.SetTokens(w, httpx.Tokens{
		Access: g.AccessToken, AccessFor: g.ExpiresIn,
		Refresh: g.RefreshToken, RefreshFor: g.Session.ExpiresAt().Sub(g.Session.LastUsedAt),
		Device: g.Device, DeviceFor: session.DeviceLifetime,
	})
}

// ReplaceSession sets the cookies of a sign-in. It ends the session that the browser had before,
// whose tokens nobody has any more; see sessions.Sessions.Replace.
func (p *Pages) ReplaceSession(w http.ResponseWriter, r *http.Request, g auth.TokenPair) {
	p.setTokens(w, g)
	if by := ViewerOf(r).By; by.SignedIn() {
		if err := p.Identity.Sessions.Replace(r.Context(), by, g.Session); err != nil {
			p.LogFailure(r, "end a session that was replaced", err)
		}
	}
}

// ReturnPath is the page to open after signing in. A form is not submitted again.
func ReturnPath(r *http.Request) string {
	if r.Method == http.MethodPost {
		return r.URL.Path
	}
	return r.URL.RequestURI()
}

// ShowError renders an error as a page, for other adapters.
func (p *Pages) ShowError(w http.ResponseWriter, r *http.Request, err error) {
	p.HandleError(w, r, err)
}

// HandleError renders err as a page, or beside what was typed.
func (p *Pages) HandleError(w http.ResponseWriter, r *http.Request, err error) {
	if p.RestoreForm(w, r, err) {
		return
	}
	p.LogFailure(r, r.Method+" "+r.URL.Path, err)
	httpx.SetRetryAfter(w.Header(), err)
	lang := LangOf(r)
	head := "That did not work"
	if fault.KindOf(err) == fault.NotFound {
		head = "Not found"
	}
	view := MessageView{Head: Translate(lang, head), Text: ErrorMessage(lang, err), Back: Translate(lang, "Back to the home page"), Alert: true}
	if back := backPath(r); back != "" {
		view.Back, view.To = Translate(lang, "Go back"), LocalPath(back)
	}
	p.Render(w, r, httpx.Status(err), "message", PageData{lang, view.Head, view})
}

// backPath is the page that contains the form.
func backPath(r *http.Request) string {
	if r.Method == http.MethodPost {
		return r.PostForm.Get("back")
	}
	return r.URL.Query().Get("back")
}

// LocalPath returns path if it is on this site, else the home page. It prevents open
// redirects.
func LocalPath(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.Contains(path+u.Path, `\`) {
		return "/"
	}
	return path
}

// Done redirects after what a form has asked for, unless that has failed.
func (p *Pages) Done(w http.ResponseWriter, r *http.Request, err error, path, flash string) error {
	if err != nil {
		return err
	}
	return p.Redirect(w, r, path, flash)
}

// Redirect sends the browser to another page after a form, so that a reload does
// not submit it again. flash names the message of that page; "" is none.
func (p *Pages) Redirect(w http.ResponseWriter, r *http.Request, path, flash string) error {
	u, err := url.Parse(LocalPath(path))
	if err != nil {
		return err
	}
	if flash != "" {
		p.Cookies.SetFlash(w, u.Path, flash)
	}
	http.Redirect(w, r, u.String(), http.StatusSeeOther) //nolint:gosec // LocalPath has checked that it is one of our own pages
	return nil
}
