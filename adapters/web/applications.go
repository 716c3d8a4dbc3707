package web

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
)

// consentView is the page that asks the viewer for consent to an application.
type consentView struct {
	Name, Email string
	Reads       []string // what the application would read
	Request     string   // the id of its request
	returnsTo   string   // its redirect URI
}

// formTarget lets the answer to the form redirect to the application: browsers apply
// form-action to redirects, too.
func (v consentView) formTarget() string {
	origin := openid.Origin(v.returnsTo)
	scheme, _, _ := strings.Cut(v.returnsTo, ":")
	if origin == "" || strings.Contains(origin, "[") || !strings.HasPrefix(scheme, "http") { // a policy cannot contain an IPv6 address
		return scheme + ":"
	}
	return origin
}

// scopeTexts say what scopes mean.
var scopeTexts = map[string]string{
	openid.ScopeEmail:   "your email address",
	openid.ScopeProfile: "your name and your language",
	openid.ScopeOffline: "this at any time, until you withdraw it",
}

func readsOf(lang user.Lang, scopes string) []string {
	all := []string{translate(lang, "that you have an account here, and its ID")}
	for _, scope := range strings.Fields(scopes) {
		if text := scopeTexts[scope]; text != "" {
			all = append(all, translate(lang, text))
		}
	}
	return all
}

// callerAt returns the caller with the ClientInfo of this request, also if nobody is signed in.
func callerAt(r *http.Request, by user.Caller) user.Caller {
	by.From = httpx.ClientInfo(r.Context())
	return by
}

// showConsent serves GET /oauth2/consent. The request of an application redirects people here if
// they must sign in or consent.
func (p *Pages) showConsent(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := r.URL.Query().Get("request")
	step, err := p.Identity.Authorizations.Resume(r.Context(), callerAt(r, by), id)
	switch {
	case err != nil:
		return err
	case step.Answer != "":
		p.sendBack(w, r, step.Client.Name, step.Answer)
		return nil
	case step.SignIn:
		return p.redirectToSignInAgain(w, r, id)
	}
	u, err := p.Identity.People.Me(r.Context(), by)
	if err != nil {
		return err
	}
	lang := langOf(r)
	p.render(w, r, http.StatusOK, "consent", pageData{lang, translate(lang, "Sign in to %s", step.Client.Name), consentView{
		Name: step.Client.Name, Email: string(u.Email), Reads: readsOf(lang, step.Scopes), Request: step.Pending, returnsTo: step.ReturnsTo,
	}})
	return nil
}

// redirectToSignInAgain redirects to the sign-in page, even if the viewer is signed in.
func (p *Pages) redirectToSignInAgain(w http.ResponseWriter, r *http.Request, request string) error {
	next := "/oauth2/consent?" + url.Values{"request": {request}}.Encode()
	return p.redirect(w, r, "/login?"+url.Values{"again": {"yes"}, "next": {next}}.Encode(), "")
}

// consent serves POST /oauth2/consent.
func (p *Pages) consent(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := r.PostForm.Get("request")
	step, err := p.Identity.Authorizations.Decide(r.Context(), callerAt(r, by), id, r.PostForm.Get("decision") == "allow")
	switch {
	case err != nil:
		return err
	case step.SignIn:
		return p.redirectToSignInAgain(w, r, id)
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, step.Answer, http.StatusSeeOther)
	return nil
}

// sendBackView is a page that leads to an application. Browsers would block a redirect after
// the form of a page whose policy does not name the application.
type sendBackView struct {
	Name string
	To   template.URL
}

// sendBack sends the viewer to an address of an application, which the core has checked.
func (p *Pages) sendBack(w http.ResponseWriter, r *http.Request, name, to string) {
	lang := langOf(r)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Refresh", "0; url="+to)
	p.render(w, r, http.StatusOK, "sendback", pageData{lang, translate(lang, "Back to %s", name), sendBackView{name, template.URL(to)}}) //nolint:gosec // a registered redirect URI, perhaps of an app's own scheme
}

// application is an application with the viewer's consent.
type application struct {
	ID, Name string
	Reads    []string
	Consent  auth.Consent
}

// applications serves GET /account/applications.
func (p *Pages) applications(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	all, err := p.Identity.Clients.ListConsents(r.Context(), by)
	if err != nil {
		return err
	}
	lang := langOf(r)
	view := make([]application, len(all))
	for i, one := range all {
		view[i] = application{one.Client.ID, one.Client.Name, readsOf(lang, one.Grant.Scopes), one}
	}
	p.render(w, r, http.StatusOK, "applications", pageData{lang, translate(lang, "Your applications"), view})
	return nil
}

// withdrawConsent serves POST /account/applications/withdraw.
func (p *Pages) withdrawConsent(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if err := p.Identity.Clients.WithdrawConsent(r.Context(), by, r.PostForm.Get("id")); err != nil {
		return err
	}
	return p.redirect(w, r, "/account/applications", "consent")
}
