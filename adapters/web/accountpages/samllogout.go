package accountpages

import (
	"errors"
	"net/http"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/external"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
)

// remoteSession is what a browser keeps of the session that a provider has begun for it: with the end
// of one the other ends, too.
type remoteSession struct {
	Provider, Session string
	User              user.ID // 0 while a second factor is asked for
	// Then is the address of an application to which a sign-out leads when the provider has answered. There
	// is no session any more.
	Then string
}

// remoteSessionFor is for how long a browser keeps it. Providers end their sessions earlier.
const remoteSessionFor = 24 * time.Hour

// keepRemoteSession makes the browser keep the session of a sign-in at its provider.
func (p *Pages) keepRemoteSession(w http.ResponseWriter, r *http.Request, provider identity.Provider, a external.CallbackResult) {
	if a.Remote == "" || a.Linked {
		return
	}
	sealed, err := p.seal(remoteSession{Provider: provider.Name, Session: a.Remote, User: a.User.ID})
	if err != nil {
		p.LogFailure(r, "keep the session at a provider", err)
		return
	}
	kept := p.Cookies.RemoteSessions()
	kept.Put(w, r, kept.Key(), sealed, remoteSessionFor)
}

// remoteSessionOf returns the session at a provider that began the viewer's own, or that of nobody who
// is signed in any more.
func (p *Pages) remoteSessionOf(r *http.Request, by user.Caller) (own remoteSession, known bool) {
	if p.ExternalSignIn == nil || p.ExternalSignIn.SAML == nil {
		return own, false
	}
	err := p.open(p.Cookies.RemoteSessions().Get(r, ""), &own)
	return own, err == nil && own.Then == "" && (own.User == 0 || !by.SignedIn() || own.User == by.ID)
}

// signOutThere returns where the viewer signs out of the provider at which they have signed in; "" if that
// cannot be done. The session here has ended already. Afterwards the browser goes to an address of an
// application, if there is one.
func (p *Pages) signOutThere(w http.ResponseWriter, r *http.Request, by user.Caller, then string) string {
	own, known := p.remoteSessionOf(r, by)
	if !known || !by.SignedIn() {
		return ""
	}
	kept := p.Cookies.RemoteSessions()
	kept.Clear(w, r, "")
	to, err := p.ExternalSignIn.SAML.LogoutURL(r.Context(), own.Provider, own.Session)
	if err != nil {
		p.LogFailure(r, "sign out at "+own.Provider, err)
		return ""
	}
	if then == "" {
		return to
	}
	sealed, err := p.seal(remoteSession{Provider: own.Provider, Then: then})
	if err != nil {
		p.LogFailure(r, "keep where a sign-out leads", err)
		return to
	}
	kept.Put(w, r, kept.Key(), sealed, logoutThereFor)
	return to
}

// logoutThereFor is how long a provider may take for a sign-out.
const logoutThereFor = 10 * time.Minute

// afterLogoutThere shows or leads to where a sign-out ends that a provider has answered.
func (p *Pages) afterLogoutThere(w http.ResponseWriter, r *http.Request, provider identity.Provider) error {
	var own remoteSession
	kept := p.Cookies.RemoteSessions()
	if err := p.open(kept.Get(r, ""), &own); err != nil || own.Then == "" || own.Provider != provider.Name {
		return p.Redirect(w, r, "/", "goodbye")
	}
	kept.Clear(w, r, "")
	p.ContinueTo(w, r, own.Then) // the answer may have come in a form, which our policy lets lead nowhere else
	return nil
}

// takeLogout serves /auth/saml/NAME/slo: a provider asks for the end of this browser's session, or says
// that its own has ended.
func (p *Pages) takeLogout(provider identity.Provider) web.Handler {
	return func(w http.ResponseWriter, r *http.Request, by user.Caller) error {
		own, known := p.remoteSessionOf(r, by)
		if !known || own.Provider != provider.Name {
			own.Session = ""
		}
		asked, err := p.ExternalSignIn.SAML.TakeLogout(r.Context(), provider.Name, r, own.Session)
		if err != nil {
			p.LogFailure(r, "a message about a sign-out of "+provider.Name, err)
			p.RenderError(w, r, http.StatusBadRequest, "Nobody knows whether you are signed out there",
				"The service did not confirm it. Close the browser to be sure.")
			return nil
		}
		if asked.Request == "" {
			return p.afterLogoutThere(w, r, provider)
		}
		if asked.Meant && by.SignedIn() {
			if err := p.Identity.Sessions.SignOut(r.Context(), by); err != nil {
				return err
			}
			p.Cookies.ClearTokens(w)
		}
		if asked.Meant {
			p.Cookies.RemoteSessions().Clear(w, r, "")
		}
		ended, err := p.endElsewhere(r, provider, asked)
		if err != nil {
			return err
		}
		to, err := p.ExternalSignIn.SAML.LogoutAnswer(r.Context(), provider.Name, asked, asked.Meant || ended)
		if err != nil {
			return err
		}
		if r.Method == http.MethodPost { // our policy forbids forms that lead to other sites
			p.ContinueTo(w, r, to)
			return nil
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, to, http.StatusSeeOther)
		return nil
	}
}

// endElsewhere ends the sessions that a request means, whichever browser brings it: from a hidden frame of
// the provider's page no cookies come along. It reports whether there were any.
func (p *Pages) endElsewhere(r *http.Request, provider identity.Provider, asked identity.Logout) (ended bool, err error) {
	for _, sid := range asked.SIDs {
		n, err := p.ExternalSignIn.Logouts.EndNoticed(r.Context(), provider.Name, identity.LogoutNotice{ID: asked.Request + sid, Session: sid}, httpx.ClientInfo(r.Context()))
		if err != nil && !errors.Is(err, identity.ErrLogoutInvalid) { // the page was loaded again
			return ended, err
		}
		ended = ended || n > 0
	}
	return ended, nil
}
