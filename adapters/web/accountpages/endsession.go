package accountpages

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
)

// endSessionPages signs people out whom an application sends here for that.
func (p *Pages) endSessionPages() web.Feature {
	return web.Feature{Routes: []*web.Route{
		web.Get("/oauth2/end_session", p.ForAnybody(p.WithAllCookies(p.showEndSession))), web.Post("/oauth2/end_session", p.Unguarded(p.postEndSession)),
	}}
}

// endSessionFields are the parameters that the form carries on.
var endSessionFields = []string{"id_token_hint", "client_id", "post_logout_redirect_uri", "state"}

// showEndSession serves GET /oauth2/end_session, to which applications send people who sign out
// there. It asks, unless the application knows who is signed in.
func (p *Pages) showEndSession(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	query := r.URL.Query()
	logout, err := p.Identity.Authorizations.ReadLogout(r.Context(), by, query)
	if err != nil {
		return err
	}
	if logout.Asks {
		v := web.FormView{Head: "Sign out", Text: logoutQuestion(web.LangOf(r), by, logout), Form: web.Form{Action: "/oauth2/end_session", Button: "Sign out", Hidden: []web.Hidden{{Name: "confirmed", Value: "yes"}}}}
		if by.SignedIn() {
			v.Form.Fields = []web.Field{everywhereField}
		}
		for _, name := range endSessionFields {
			if query.Has(name) {
				v.Form.Hidden = append(v.Form.Hidden, web.Hidden{Name: name, Value: query.Get(name)})
			}
		}
		if logout.Refusal != nil {
			return p.RetryForm(w, r, v, logout.Refusal)
		}
		p.RenderForm(w, r, v)
		return nil
	}
	return p.leaveFor(w, r, by, logout)
}

// logoutQuestion names the application if only its session would end.
func logoutQuestion(lang user.Lang, by user.Caller, logout provider.Logout) string {
	if by.SignedIn() {
		return "Do you want to sign out here, too?"
	}
	return web.Translate(lang, "Do you want to sign out of %s?", logout.Client.Name)
}

// postEndSession serves POST /oauth2/end_session: our own form, or the form of an application,
// whose parameters a browser that is then on our site sends again by GET.
func (p *Pages) postEndSession(w http.ResponseWriter, r *http.Request) {
	if http.NewCrossOriginProtection().Check(r) == nil {
		p.ForAnybody(p.confirmEndSession).Serve(w, r)
		return
	}
	if !p.ParseForm(w, r) {
		return
	}
	query := url.Values{}
	for _, name := range endSessionFields {
		if r.PostForm.Has(name) {
			query.Set(name, r.PostForm.Get(name))
		}
	}
	http.Redirect(w, r, "/oauth2/end_session?"+query.Encode(), http.StatusSeeOther)
}

func (p *Pages) confirmEndSession(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	logout, err := p.Identity.Authorizations.ReadLogout(r.Context(), by, r.PostForm)
	if err != nil {
		return err
	}
	if logout.Asks && r.PostForm.Get("confirmed") != "yes" {
		r.URL.RawQuery = r.PostForm.Encode()
		return p.showEndSession(w, r, by)
	}
	return p.leaveFor(w, r, by, logout)
}

// leaveFor signs out. The browser then tells applications of it, signs out of the provider at which the viewer
// has signed in, and goes to the application that asked.
func (p *Pages) leaveFor(w http.ResponseWriter, r *http.Request, by user.Caller, logout provider.Logout) error {
	by = callerAt(r, by)
	if r.PostForm.Has("everywhere") {
		if err := p.Identity.Sessions.SignOutOfAll(r.Context(), by); err != nil {
			return err
		}
	}
	pages, err := p.Identity.Authorizations.EndSession(r.Context(), by, logout, true)
	if err != nil {
		return err
	}
	p.Cookies.ClearTokens(w)
	there := p.signOutThere(w, r, by, logout.ReturnsTo)
	switch {
	case len(pages) > 0:
		p.tellApplications(w, r, pages, cmp.Or(there, logout.ReturnsTo, "/"))
	case there != "":
		p.ContinueTo(w, r, there)
	case logout.ReturnsTo == "":
		return p.Redirect(w, r, "/", "goodbye")
	case r.Method == http.MethodPost:
		p.sendBack(w, r, logout.Client.Name, logout.ReturnsTo)
	default:
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, logout.ReturnsTo, http.StatusSeeOther)
	}
	return nil
}

// tellApplications shows the page on which the browser loads those of applications.
func (p *Pages) tellApplications(w http.ResponseWriter, r *http.Request, pages []string, to string) {
	lang := web.LangOf(r)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Refresh", signedOutPause+"; url="+to)
	view := signedOutView{pages, template.URL(to)} //nolint:gosec // a registered URI, perhaps of an app's own scheme, or a provider's
	p.Render(w, r, http.StatusOK, "signedout", web.PageData{Lang: lang, Title: web.Translate(lang, "You are signed out."), Page: view})
}

// signedOutPause is how many seconds the pages of applications have to sign the browser out.
const signedOutPause = "3"

// signedOutView is the page on which the browser loads those of applications.
type signedOutView struct {
	Frames []string
	To     template.URL
}

// FrameSources lets the page load those of these applications, and no others.
func (v signedOutView) FrameSources() string {
	var all []string
	for _, frame := range v.Frames {
		all = append(all, openid.Origin(frame))
	}
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(all))), " ")
}
