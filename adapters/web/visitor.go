package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// visitor is who looks at a page; err says why that cannot be known now.
type visitor struct {
	by  user.Caller
	err error
}

type visitorKey struct{}

// entering finds out who comes, once for each request. A browser whose access
// token has run out is given the next one on the way.
func (p *Pages) entering(next http.HandlerFunc) http.HandlerFunc {
	if p.Market == nil {
		return next
	}
	return func(w http.ResponseWriter, r *http.Request) {
		by, err := p.recognise(w, r)
		next(w, r.WithContext(context.WithValue(r.Context(), visitorKey{}, visitor{by, err})))
	}
}

// visitorOf is who looks; nobody on pages that do not ask.
func visitorOf(r *http.Request) visitor {
	v, _ := r.Context().Value(visitorKey{}).(visitor)
	return v
}

// recognise is the caller of the access token, or of the refresh token where that
// one is dead; the zero Caller where neither holds.
func (p *Pages) recognise(w http.ResponseWriter, r *http.Request) (user.Caller, error) {
	by, err := httpx.CallerFrom(r.Context())
	if err == nil && by.SignedIn() || err != nil && fault.KindOf(err) != fault.Unauthenticated {
		return by, err
	}
	refresh := p.Cookies.RefreshToken(r)
	if refresh == "" || !httpx.HasCookieCredential(r.Context()) { // a bad header is not rescued by a cookie
		return user.Caller{}, nil
	}
	grant, err := p.Market.Sessions.Refresh(r.Context(), refresh, httpx.ClientInfo(r.Context()))
	if fault.KindOf(err) == fault.Unauthenticated {
		p.Cookies.ClearTokens(w)
		return user.Caller{}, nil
	}
	if err != nil {
		return user.Caller{}, err
	}
	p.signIn(w, grant)
	return p.Market.Gate.Authenticate(r.Context(), grant.AccessToken, httpx.ClientInfo(r.Context()))
}

// signedIn is the request of somebody who has signed in by it.
func (p *Pages) signedIn(r *http.Request, g auth.TokenPair) *http.Request {
	if p.Market == nil {
		return r
	}
	by, err := p.Market.Gate.Authenticate(r.Context(), g.AccessToken, httpx.ClientInfo(r.Context()))
	return r.WithContext(context.WithValue(r.Context(), visitorKey{}, visitor{by, err}))
}

func (p *Pages) signIn(w http.ResponseWriter, g auth.TokenPair) {
	p.Cookies.SetTokens(w, httpx.Tokens{
		Access: g.AccessToken, AccessFor: g.ExpiresIn,
		Refresh: g.RefreshToken, RefreshFor: g.Session.ExpiresAt().Sub(g.Session.LastUsedAt),
	})
}

// handler serves a page to somebody who may see it. What it returns is said on a
// page of its own.
type handler func(w http.ResponseWriter, r *http.Request, by user.Caller) error

// forStudents, forMembers, forAdmins and forOwners let those in whom a page is
// for, show others what they lack, and read what a form sends.
func (p *Pages) forStudents(h handler) http.HandlerFunc {
	return p.admit(user.Caller.MustBeStudent, h)
}

func (p *Pages) forMembers(h handler) http.HandlerFunc { return p.forRole(user.Regular, h) }
func (p *Pages) forAdmins(h handler) http.HandlerFunc  { return p.forRole(user.Admin, h) }
func (p *Pages) forOwners(h handler) http.HandlerFunc  { return p.forRole(user.Owner, h) }

func (p *Pages) forRole(role user.Role, h handler) http.HandlerFunc {
	return p.admit(func(by user.Caller) error { return by.MustBe(role) }, h)
}

// forAnybody is for pages that show more to those who are signed in.
func (p *Pages) forAnybody(h handler) http.HandlerFunc {
	return p.admit(func(user.Caller) error { return nil }, h)
}

func (p *Pages) admit(may func(user.Caller) error, h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := visitorOf(r)
		err := v.err
		if err == nil {
			err = may(v.by)
		}
		if err == nil && r.Method == http.MethodPost && !p.readForm(w, r) {
			return
		}
		if err == nil {
			err = h(w, r, v.by)
		}
		switch {
		case err == nil:
		case errors.Is(err, user.ErrUnauthenticated):
			p.signInFirst(w, r)
		case errors.Is(err, user.ErrProfileNeeded):
			_ = p.onward(w, r, "/account", "profile") // it has no error for a path of our own
		default:
			p.trouble(w, r, err)
		}
	}
}

// destination is the page to go on to after signing in: a form is not sent again.
func destination(r *http.Request) string {
	if r.Method == http.MethodPost {
		return r.URL.Path
	}
	return r.URL.RequestURI()
}

// trouble says on a page why there is no other.
func (p *Pages) trouble(w http.ResponseWriter, r *http.Request, err error) {
	p.log(r, r.Method+" "+r.URL.Path, err)
	httpx.SetRetryAfter(w.Header(), err)
	lang := langOf(r)
	head := "That did not work"
	if fault.KindOf(err) == fault.NotFound {
		head = "Not found"
	}
	says := noticeView{Head: say(lang, head), Text: sentence(lang, err), Back: say(lang, "Back to the home page"), Alert: true}
	if back := backOf(r); back != "" {
		says.Back, says.To = say(lang, "Go back"), local(back)
	}
	p.show(w, r, httpx.Status(err), "notice", frame{lang, says.Head, says})
}

// backOf is the page that a form stood on.
func backOf(r *http.Request) string {
	if r.Method == http.MethodPost {
		return r.PostForm.Get("back")
	}
	return r.URL.Query().Get("back")
}

// local is the path if it is one of this site, else the front page: nobody may
// send our visitors elsewhere with a link to us.
func local(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.Contains(path+u.Path, `\`) {
		return "/"
	}
	return path
}

// onward sends the browser on after a form, so that a reload sends nothing
// again. notice names the sentence that the next page begins with; "" is none.
func (p *Pages) onward(w http.ResponseWriter, r *http.Request, path, notice string) error {
	u, err := url.Parse(local(path))
	if err != nil {
		return err
	}
	if notice != "" {
		p.Cookies.SetFlash(w, notice)
	}
	http.Redirect(w, r, u.String(), http.StatusSeeOther) //nolint:gosec // local has made sure that it is one of our own pages
	return nil
}
