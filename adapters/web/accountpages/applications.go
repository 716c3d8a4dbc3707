package accountpages

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
)

// applicationPages lets people allow applications to use their account, and take that back.
func (p *Pages) applicationPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get("/account/applications", p.ForMembers(p.applications)), web.Post("/account/applications/withdraw", p.ForMembers(p.withdrawConsent)),
			web.Get("/oauth2/consent", p.ForAnybody(p.showConsent)), web.Post("/oauth2/consent", p.ForMembers(p.consent)),
		},
		Flashes: map[string]string{
			"consent":    "The application may no longer use your account.",
			"stronger":   "This application wants you to sign in with a second factor or a passkey.",
			"recognised": "This application wants you to sign in anew, and that service knew you from before. Sign in here in another way, or sign out there first.",
		},
	}
}

// consentView is the page that asks the viewer for consent to an application.
type consentView struct {
	Name, Email string
	Reads       []string // what the application would read
	Uses        []string // what it would do elsewhere in the viewer's name
	Request     string   // the id of its request
	returnsTo   string   // its redirect URI
	// Logo, Policy and Terms are the application's; "" for none.
	Logo, Policy, Terms string
}

// ImageSource lets the page show the logo.
func (v consentView) ImageSource() string { return openid.Origin(v.Logo) }

// FormTarget lets the answer to the form redirect to the application: browsers apply
// form-action to redirects, too.
func (v consentView) FormTarget() string {
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
	openid.ScopeRoles:   "your roles",
	openid.ScopeGroups:  "your groups",
	openid.ScopeOffline: "this at any time, until you withdraw it",
}

// claimTexts say what single claims mean.
var claimTexts = map[string]string{
	"email": scopeTexts[openid.ScopeEmail], "email_verified": scopeTexts[openid.ScopeEmail],
	"name": "your name", "given_name": "your name", "family_name": "your name", "locale": "your language",
	"roles": scopeTexts[openid.ScopeRoles], "groups": scopeTexts[openid.ScopeGroups],
}

func readsOf(lang user.Lang, scopes string) []string {
	all := []string{web.Translate(lang, "that you have an account here, and its ID")}
	for _, scope := range strings.Fields(scopes) {
		if text := scopeTexts[scope]; text != "" {
			all = append(all, web.Translate(lang, text))
		}
	}
	for _, claim := range openid.SingleClaims(scopes) {
		if text := web.Translate(lang, claimTexts[claim]); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// usesOf says at which resources an application may do what.
func usesOf(lang user.Lang, all []provider.Use) (texts []string) {
	for _, one := range all {
		text := web.Translate(lang, "%s: only that it is you", one.Resource)
		if len(one.Scopes) > 0 {
			text = web.Translate(lang, "%s: %s", one.Resource, strings.Join(one.Scopes, ", "))
		}
		texts = append(texts, text)
	}
	return texts
}

// callerAt returns the caller with the ClientInfo of this request, also if nobody is signed in.
func callerAt(r *http.Request, by user.Caller) user.Caller {
	by.From = httpx.ClientInfo(r.Context())
	return by
}

// showConsent serves GET /oauth2/consent. The request of an application redirects people here if
// they must sign in or consent.
func (p *Pages) showConsent(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	key := r.URL.Query().Get("request")
	id := p.requestOf(r, key)
	step, err := p.Identity.Authorizations.Resume(r.Context(), callerAt(r, by), id)
	switch {
	case err != nil:
		return err
	case step.SignIn:
		if id == key { // it was stored, for somebody who must sign in again
			key = p.CarryRequest(w, r, step.Pending)
		}
		switch {
		case step.StepUp:
			p.Cookies.SetFlash(w, "/login", "stronger")
		case step.Recognised:
			p.Cookies.SetFlash(w, "/login", "recognised")
		}
		return p.redirectToSignInAgain(w, r, key)
	}
	if id != key {
		p.Cookies.Requests().Clear(w, r, key)
	}
	switch {
	case step.Answer != "":
		p.sendBack(w, r, step.Client.Name, step.Answer)
		return nil
	case id != key: // from now on it is stored, and a reload finds it
		return p.Redirect(w, r, consentPath(step.Pending), "")
	}
	u, err := p.Identity.Users.Me(r.Context(), by)
	if err != nil {
		return err
	}
	lang := web.LangOf(r)
	p.Render(w, r, http.StatusOK, "consent", web.PageData{Lang: lang, Title: web.Translate(lang, "Sign in to %s", step.Client.Name), Page: consentView{
		Name: step.Client.Name, Email: string(u.Email), Reads: readsOf(lang, step.Scopes), Uses: usesOf(lang, step.Uses), Request: step.Pending, returnsTo: step.ReturnsTo,
		Logo: step.Client.LogoURI, Policy: step.Client.PolicyURI, Terms: step.Client.TermsURI,
	}})
	return nil
}

// redirectToSignInAgain redirects to the sign-in page, even if the viewer is signed in.
func (p *Pages) redirectToSignInAgain(w http.ResponseWriter, r *http.Request, request string) error {
	return p.Redirect(w, r, "/login?"+url.Values{"again": {"yes"}, "next": {consentPath(request)}}.Encode(), "")
}

// consentPath leads to the request of an application.
func consentPath(request string) string {
	return consentPage + "?" + url.Values{"request": {request}}.Encode()
}

const consentPage = "/oauth2/consent"

// requestOf returns the sealed request that the browser keeps under a key, or else the key: then it
// is the id of a stored one.
func (p *Pages) requestOf(r *http.Request, key string) string {
	if key == "" || challenge.IsLink(key) {
		return key
	}
	return cmp.Or(p.Cookies.Requests().Get(r, key), key)
}

// requestIn returns the request of an application to which a path leads; false for other paths.
func requestIn(path string) (string, bool) {
	u, err := url.Parse(path)
	if err != nil || u.Path != consentPage {
		return "", false
	}
	return u.Query().Get("request"), true
}

// applicationAt returns the name of the application to which a sign-in leads by way of a path, ""
// for a path that leads elsewhere.
func (p *Pages) applicationAt(r *http.Request, path string) string {
	name, _ := p.signInFor(r, path)
	return name
}

// signInFor is applicationAt with the address that the application thinks the viewer has.
func (p *Pages) signInFor(r *http.Request, path string) (name, email string) {
	request, ok := requestIn(path)
	if !ok || p.Identity == nil {
		return "", ""
	}
	client, hint, err := p.Identity.Authorizations.ClientOf(r.Context(), callerAt(r, web.ViewerOf(r).By), p.requestOf(r, request))
	if err != nil {
		return "", "" // the page that it leads to says why
	}
	return client.Name, hint
}

// nameApplication returns the name of the application to which a page signs the viewer in.
func (p *Pages) nameApplication(r *http.Request, page any) string {
	switch v := page.(type) {
	case consentView:
		return v.Name
	case sendBackView:
		return v.Name
	case web.FormView:
		if v.Application != "" {
			return v.Application
		}
	}
	if next := r.URL.Query().Get("next"); next != "" {
		return p.applicationAt(r, next)
	}
	return p.applicationAt(r, r.PostForm.Get("next"))
}

// consent serves POST /oauth2/consent.
func (p *Pages) consent(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := r.PostForm.Get("request")
	step, err := p.Identity.Authorizations.Decide(r.Context(), callerAt(r, by), id, r.PostForm.Get("decision") == "allow")
	switch {
	case err != nil:
		return err
	case step.SignIn:
		return p.redirectToSignInAgain(w, r, p.CarryRequest(w, r, step.Pending))
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
	lang := web.LangOf(r)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Refresh", "0; url="+to)
	p.Render(w, r, http.StatusOK, "sendback", web.PageData{Lang: lang, Title: web.Translate(lang, "Back to %s", name), Page: sendBackView{name, template.URL(to)}}) //nolint:gosec // a registered redirect URI, perhaps of an app's own scheme
}

// application is an application with the viewer's consent.
type application struct {
	ID, Name    string
	Reads, Uses []string
	Consent     provider.Consent
}

// applications serves GET /account/applications.
func (p *Pages) applications(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	all, err := p.Identity.Clients.ListConsents(r.Context(), by)
	if err != nil {
		return err
	}
	lang := web.LangOf(r)
	view := make([]application, len(all))
	for i, one := range all {
		view[i] = application{one.Client.ID, one.Client.Name, readsOf(lang, one.Grant.Scopes), usesOf(lang, one.Uses), one}
	}
	return p.Show(w, r, http.StatusOK, "applications", "Your applications", view)
}

// withdrawConsent serves POST /account/applications/withdraw.
func (p *Pages) withdrawConsent(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Identity.Clients.WithdrawConsent(r.Context(), by, r.PostForm.Get("id"))
	return p.Done(w, r, err, "/account/applications", "consent")
}
