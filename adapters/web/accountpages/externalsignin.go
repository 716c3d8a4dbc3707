package accountpages

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/external"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
)

// pathOf is where sign-ins at a provider begin.
func pathOf(p identity.Provider) string {
	if p.Protocol == identity.SAML {
		return samlPath + p.Name
	}
	return providerPath + p.Name
}

const (
	providerPath = "/auth/oidc/"
	samlPath     = "/auth/saml/"
	codePath     = "/auth/code"

	ticketLifetime = 10 * time.Minute // how long the browser keeps what an external sign-in needs
	maxNext        = 1500             // bytes of an address to return to, which must fit into a cookie
)

// externalSignInPages has a start and an end for each provider, and the page that asks for a
// mailed code.
func (p *Pages) externalSignInPages() (f web.Feature) {
	f.Flashes = map[string]string{"othersubject": "The account of your address belongs to another sign-in at this service. " +
		"If it is yours, sign in with its password or a passkey and connect this one, too. Or ask an admin."}
	if p.ExternalSignIn == nil {
		return f
	}
	f.Routes = []*web.Route{web.Get(codePath, p.ForAnybody(p.showCode)), web.Post(codePath, p.ForAnybody(p.confirmCode))}
	for _, provider := range p.ExternalSignIn.Identities.Available() {
		path := pathOf(provider)
		if provider.Protocol == identity.SAML {
			f.Routes = append(f.Routes, p.samlRoutes(provider)...)
			continue
		}
		f.Routes = append(f.Routes,
			web.File(path, p.ForAnybody(p.startSignIn(provider))), web.Post(path, p.ForAnybody(p.startLink(provider))),
			web.File(path+"/callback", p.ForAnybody(p.WithAllCookies(p.callback(provider)))), // a session that the new one replaces ends
		)
	}
	return f
}

// providerLinks are shown where people sign in.
func (p *Pages) providerLinks(next string) (links []web.ProviderLink) {
	if p.ExternalSignIn == nil {
		return nil
	}
	for _, provider := range p.ExternalSignIn.Identities.Available() {
		path := pathOf(provider)
		if next != "" && next != "/" {
			path += "?" + url.Values{"next": {next}}.Encode()
		}
		links = append(links, web.ProviderLink{Path: path, Label: provider.Label})
	}
	return links
}

// startSignIn serves GET /auth/oidc/NAME: it sends the browser to the provider. With link=1 it
// shows the form that links an identity instead: only a form of our own page may start that.
func (p *Pages) startSignIn(provider identity.Provider) web.Handler {
	return func(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
		q := r.URL.Query()
		if p.asksForService(w, r, provider) {
			return nil
		}
		if q.Has("link") {
			p.showLinkForm(w, r, provider)
			return nil
		}
		if httpx.IsHead(r.Context()) { // it must not replace the ticket of a sign-in
			return nil
		}
		next := p.returnURL(q.Get("next"))
		d, err := p.ExternalSignIn.Identities.Begin(r.Context(), placeOf(provider, q), next, p.freshnessFor(r, next), httpx.ClientInfo(r.Context()))
		if err != nil {
			return p.notSignedIn(w, r, provider, err)
		}
		if err := p.setTicket(w, r, d.Ticket); err != nil {
			return err
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, d.URL, http.StatusFound)
		return nil
	}
}

// freshnessFor returns what the application behind a path demands of a sign-in.
func (p *Pages) freshnessFor(r *http.Request, next string) identity.Freshness {
	request, ok := requestIn(next)
	if !ok || p.Identity == nil {
		return identity.Freshness{}
	}
	fresh, err := p.Identity.Authorizations.Freshness(r.Context(), callerAt(r, web.ViewerOf(r).By), p.requestOf(r, request))
	if err != nil {
		return identity.Freshness{} // the request is not answered then
	}
	return fresh
}

func (p *Pages) showLinkForm(w http.ResponseWriter, r *http.Request, provider identity.Provider) {
	lang := web.LangOf(r)
	head := web.Translate(lang, "Sign in with %s", provider.Label)
	p.Render(w, r, http.StatusOK, "form", web.PageData{Lang: lang, Title: head, Page: web.FormView{
		Head: head, Text: "Afterwards you can sign in to your account with this service.",
		Form: web.Form{Action: pathOf(provider), Button: "Continue", Hidden: []web.Hidden{{Name: "link", Value: "1"}, {Name: "next", Value: r.URL.Query().Get("next")}, {Name: "at", Value: r.URL.Query().Get("at")}}},
	}})
}

// startLink serves POST /auth/oidc/NAME. It answers with a page instead of a redirect, because
// our policy forbids forms that lead to other sites.
func (p *Pages) startLink(provider identity.Provider) web.Handler {
	return func(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
		by, err := p.Caller(w, r)
		if err == nil {
			err = by.MustBe(user.Regular)
		}
		if err != nil {
			return err
		}
		d, err := p.ExternalSignIn.Identities.BeginLink(r.Context(), by, placeOf(provider, r.PostForm), p.returnURL(r.PostForm.Get("next")))
		if errors.Is(err, user.ErrProofNeeded) {
			return err
		}
		if err != nil {
			return p.notSignedIn(w, r, provider, err)
		}
		if err := p.setTicket(w, r, d.Ticket); err != nil {
			return err
		}
		p.ContinueTo(w, r, d.URL)
		return nil
	}
}

// callback serves GET /auth/oidc/NAME/callback, to which the provider sends the browser
// back.
func (p *Pages) callback(provider identity.Provider) web.Handler {
	return func(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
		if httpx.IsHead(r.Context()) {
			return nil
		}
		q := r.URL.Query()
		t, err := p.takeTicket(w, r, q.Get("state"))
		if err != nil || t.Provider != provider.Name {
			return p.notSignedIn(w, r, provider, challenge.ErrCeremonyInvalid)
		}
		return p.finish(w, r, provider, t, identity.Answer{
			Code: q.Get("code"), State: q.Get("state"), Issuer: q.Get("iss"), Error: q.Get("error"),
		})
	}
}

// finish ends a sign-in with the answer of the provider.
func (p *Pages) finish(w http.ResponseWriter, r *http.Request, provider identity.Provider, t external.Ticket, answer identity.Answer) error {
	a, err := p.ExternalSignIn.Identities.Finish(r.Context(), t, answer, web.LangOf(r), httpx.ClientInfo(r.Context()))
	p.keepRemoteSession(w, r, provider, a)
	if err != nil {
		return p.handleCallbackError(w, r, provider, t.Next, err)
	}
	if a.Code != "" {
		return p.askForCode(w, r, provider, a)
	}
	return p.finishSignIn(w, r, a)
}

// finishSignIn sends the browser to where the person wanted to go, with the cookies of a new
// session. A student without a profile goes to the page that asks for it, unless an application
// waits for the sign-in.
func (p *Pages) finishSignIn(w http.ResponseWriter, r *http.Request, a external.CallbackResult) error {
	next := p.returnURL(a.Next)
	if a.Linked {
		p.land(w, r, next)
		return nil
	}
	p.ReplaceSession(w, r, a.TokenPair)
	_, application := requestIn(next)
	if u := a.User; !application && p.Market != nil && u.Role == user.Regular && !u.Student() && p.Campus.Admits(u.Email) && web.LocalPath(next) == next {
		next = "/account"
		p.Cookies.SetFlash(w, next, "profile")
	}
	p.land(w, r, next)
	return nil
}

// land leads to an address that returnURL has allowed. Browsers do not send cookies with
// SameSite=Strict while they follow redirects from another site, so it then renders a page
// from which they start anew.
func (p *Pages) land(w http.ResponseWriter, r *http.Request, to string) {
	if p.Cookies.Strict() || r.Method == http.MethodPost && web.LocalPath(to) != to { // our policy forbids forms that lead to other sites
		p.ContinueTo(w, r, to)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to, http.StatusSeeOther) //nolint:gosec // returnURL has checked it
}

// handleCallbackError handles a sign-in that started no session. With a second factor on, it
// redirects to the page that asks for the code.
func (p *Pages) handleCallbackError(w http.ResponseWriter, r *http.Request, provider identity.Provider, next string, err error) error {
	if p.askForSecondFactor(w, r, err, next) {
		return nil
	}
	if errors.Is(err, identity.ErrOtherSubject) && p.Identity != nil {
		p.askForAccount(w, r, provider, next)
		return nil
	}
	return p.notSignedIn(w, r, provider, err)
}

// askForAccount lets a person sign in to the account of their address in another way, and then
// connect the sign-in that was refused.
func (p *Pages) askForAccount(w http.ResponseWriter, r *http.Request, provider identity.Provider, next string) {
	link := pathOf(provider) + "?" + url.Values{"link": {"1"}, "next": {p.returnURL(next)}}.Encode()
	p.Cookies.SetFlash(w, "/login", "othersubject")
	p.land(w, r, "/login?"+url.Values{"again": {"yes"}, "next": {link}}.Encode())
}

// notSignedIn logs the cause and shows a page that says in plain words what happened.
func (p *Pages) notSignedIn(w http.ResponseWriter, r *http.Request, provider identity.Provider, err error) error {
	f := fault.As(err)
	if f == nil {
		return err
	}
	p.Log.WarnContext(r.Context(), "an external sign-in failed", "provider", provider.Name, "error", err)
	httpx.SetRetryAfter(w.Header(), err)
	lang := web.LangOf(r)
	view := web.MessageView{Head: web.Translate(lang, "You are not signed in"), Text: provider.Label + web.Translate(lang, ":") + " " + web.ErrorMessage(lang, err), Alert: true,
		Back: web.Translate(lang, "Back to the home page")}
	if p.Identity != nil {
		view.Back, view.To = web.Translate(lang, "Sign in"), "/login"
	}
	p.Render(w, r, httpx.Status(err), "message", web.PageData{Lang: lang, Title: view.Head, Page: view})
	return nil
}

// returnURL returns next if it is a page of this site or of an allowed origin, else the home
// page. It prevents open redirects.
func (p *Pages) returnURL(next string) string {
	if len(next) > maxNext {
		return "/"
	}
	if local := web.LocalPath(next); local == next {
		return local
	}
	u, err := url.Parse(next)
	if err != nil || u.User != nil || u.Opaque != "" || u.Host == "" || strings.Contains(next, `\`) {
		return "/"
	}
	if origin := u.Scheme + "://" + u.Host; !slices.Contains(p.Origins, origin) && (!p.Loopback || !httpx.IsLoopbackOrigin(origin)) {
		return "/"
	}
	return u.String()
}

// setTicket seals the browser's part of a sign-in into a cookie of its own, so that sign-ins in two
// tabs go on side by side.
func (p *Pages) setTicket(w http.ResponseWriter, r *http.Request, t external.Ticket) error {
	sealed, err := p.seal(t)
	if err == nil {
		p.Cookies.ExternalSignIns().Put(w, r, httpx.KeyOf(t.State), sealed, ticketLifetime)
	}
	return err
}

// takeTicket returns the ticket to which an answer belongs, and lets the browser forget it.
func (p *Pages) takeTicket(w http.ResponseWriter, r *http.Request, state string) (t external.Ticket, err error) {
	key := httpx.KeyOf(state)
	if key == "" {
		return t, challenge.ErrCeremonyInvalid
	}
	kept := p.Cookies.ExternalSignIns()
	err = p.open(kept.Get(r, key), &t)
	kept.Clear(w, r, key)
	return t, err
}

func (p *Pages) seal(v any) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sealed, err := p.ExternalSignIn.Sealer.Seal(plain)
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

func (p *Pages) open(text string, into any) error {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	plain, err := p.ExternalSignIn.Sealer.Open(sealed)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, into)
}
