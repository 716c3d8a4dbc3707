package inspector

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// Access decides who may see the pages.
type Access struct {
	check  func(w http.ResponseWriter, r *http.Request) error
	signIn string // where people sign in, with the parameter next; "" if there is no such page
	token  *tokenAccess
}

// viewer is somebody who may see the pages.
type viewer struct {
	Admitted bool
	SignOut  bool // the session can be ended here
}

// ForAdmins admits admins. caller authenticates a request. signIn is the page to sign in,
// which gets the path to return to as next; "" if there is none.
func ForAdmins(caller func(http.ResponseWriter, *http.Request) (user.Caller, error), signIn string) Access {
	return Access{signIn: signIn, check: func(w http.ResponseWriter, r *http.Request) error {
		by, err := caller(w, r)
		if err != nil {
			return err
		}
		return by.MustOversee("") // deliveries tell of all universities
	}}
}

var errNotHere = fault.New(fault.Forbidden, "not_local",
	"Without WEBHOOK_API_TOKEN, these pages are only for a browser on the same machine, at a loopback address and without a proxy. Set WEBHOOK_API_TOKEN to open them elsewhere.")

// ForThisMachine admits every request for which local returns true.
func ForThisMachine(local func(*http.Request) bool) Access {
	return Access{check: func(_ http.ResponseWriter, r *http.Request) error {
		if !local(r) {
			return errNotHere
		}
		return nil
	}}
}

// admit returns the viewer, or why the request is refused.
func (p *Pages) admit(w http.ResponseWriter, r *http.Request) (viewer, error) {
	if err := p.Access.check(w, r); err != nil {
		return viewer{}, err
	}
	return viewer{Admitted: true, SignOut: p.Access.token != nil}, nil
}

// redirectToSignIn redirects to the sign-in page, which leads back here. A form is not sent
// again.
func (p *Pages) redirectToSignIn(w http.ResponseWriter, r *http.Request) {
	next := Base
	if r.Method != http.MethodPost {
		next = r.URL.RequestURI()
	}
	http.Redirect(w, r, p.Access.signIn+"?"+url.Values{"next": {next}}.Encode(), http.StatusSeeOther)
}

// ownPath returns path if it is one of these pages, else the list. It prevents open
// redirects.
func ownPath(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || u.Path != Base && !strings.HasPrefix(u.Path, Base+"/") || strings.ContainsAny(
		path+u.Path, "\\\r\n",
	) {
		return Base
	}
	return path
}

// WriteError shows an error on a page, or leads to the page to sign in.
func (p *Pages) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	status := httpx.Status(err)
	if status == http.StatusUnauthorized && p.Access.signIn != "" {
		p.redirectToSignIn(w, r)
		return
	}
	httpx.SetRetryAfter(w.Header(), err)
	m := messageView{"That did not work", httpx.PublicMessage(err), true}
	switch status {
	case http.StatusUnauthorized:
		m = messageView{Head: "Sign in first", Text: "These pages are for admins. Sign in to the auth service in this browser, with cookies, or send an access token of an admin as bearer token."}
	case http.StatusForbidden:
		m.Head, m.Back = "You do not have access to this page", false
		switch fault.As(err) {
		case user.ErrForbidden:
			m.Text = "These pages are for admins. Your account is not an admin."
		case errOtherSite:
			m.Head, m.Back = "Nothing was changed", true
		}
	case http.StatusNotFound:
		m.Head = "Not found"
	case http.StatusInternalServerError:
		if r.Context().Err() == nil {
			p.Log.ErrorContext(r.Context(), "a page of the webhook inspector failed", "path", r.URL.Path, "error", err)
		}
	}
	p.message(w, r, status, m)
}

func (p *Pages) notFound(w http.ResponseWriter, r *http.Request) {
	p.message(w, r, http.StatusNotFound, messageView{"Not found", "There is nothing at this address.", true})
}
