package accountpages

import (
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
)

const (
	maxServices = 50        // that one page lists
	maxEntityID = 1024      // bytes
	maxWords    = 100       // bytes of a search
	maxAnswer   = 300 << 10 // bytes of a form with an answer
)

// placeOf returns where a query or a form wants to sign in.
func placeOf(provider identity.Provider, values url.Values) identity.Place {
	at := identity.Place{Provider: provider.Name}
	if service := values.Get("at"); provider.Protocol == identity.SAML && len(service) <= maxEntityID {
		at.Service = service
	}
	return at
}

// samlRoutes has the start and the end of sign-ins at a provider, and what its operator needs.
func (p *Pages) samlRoutes(provider identity.Provider) []*web.Route {
	path := pathOf(provider)
	return []*web.Route{
		web.File(path, p.ForAnybody(p.startSignIn(provider))), web.Post(path, p.ForAnybody(p.startLink(provider))),
		web.Post(path+"/acs", p.Unguarded(p.takeAnswer(provider))),
		web.File(path+"/slo", p.ForAnybody(p.WithAllCookies(p.takeLogout(provider)))), web.Post(path+"/slo", p.Unguarded(p.relayed(provider, "slo", p.takeLogout(provider)))),
		web.File(path+"/metadata", web.Anonymous(p.samlMetadata(provider))),
		web.File(providerPath+provider.Name, web.Anonymous(func(w http.ResponseWriter, r *http.Request) { // where clients expect every provider
			http.Redirect(w, r, (&url.URL{Path: path, RawQuery: r.URL.RawQuery}).String(), http.StatusFound)
		})),
	}
}

func (p *Pages) samlMetadata(provider identity.Provider) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, err := p.ExternalSignIn.SAML.Metadata(provider.Name)
		if err != nil {
			p.HandleError(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "application/samlmetadata+xml")
		w.Header().Set("Content-Disposition", `attachment; filename="octavo-`+provider.Name+`.xml"`)
		_, _ = w.Write(text)
	}
}

// servicesView lets people find their university in a federation.
type servicesView struct {
	Head, Path, Words string
	Hidden            []web.Hidden // of the request, in the form
	Found             []web.Option // Value is the path
	Searched, More    bool
}

// asksForService shows the page on which people find their university, if they must choose one and
// have not, and reports whether it did so.
func (p *Pages) asksForService(w http.ResponseWriter, r *http.Request, provider identity.Provider) bool {
	q := r.URL.Query()
	if provider.Protocol != identity.SAML || q.Get("at") != "" {
		return false
	}
	lang, words := web.LangOf(r), q.Get("q")
	if len(words) > maxWords {
		words = ""
	}
	found, chosen, err := p.ExternalSignIn.SAML.FindServices(r.Context(), provider.Name, words, string(lang), maxServices+1)
	if err != nil || !chosen {
		return false // what is wrong shows when the sign-in begins
	}
	v := servicesView{Head: provider.Label, Path: pathOf(provider), Words: words, Searched: words != ""}
	kept := url.Values{}
	for _, name := range []string{"next", "link"} {
		if q.Has(name) {
			kept.Set(name, q.Get(name))
			v.Hidden = append(v.Hidden, web.Hidden{Name: name, Value: q.Get(name)})
		}
	}
	if v.More = len(found) > maxServices; v.More {
		found = found[:maxServices]
	}
	for _, service := range found {
		kept.Set("at", service.ID)
		v.Found = append(v.Found, web.Option{Value: v.Path + "?" + kept.Encode(), Label: service.Name})
	}
	p.Render(w, r, http.StatusOK, "services", web.PageData{Lang: lang, Title: v.Head, Page: v})
	return true
}

// relayView is a form that sends itself again from our own page.
type relayView struct {
	Path   string
	Hidden []web.Hidden
}

// takeAnswer serves POST /auth/saml/NAME/acs. The form comes from the page of the provider, and
// browsers send none of our cookies with it. So our own page sends it once more, with them: the answer
// is taken from the browser that asked for it alone.
func (p *Pages) takeAnswer(provider identity.Provider) http.HandlerFunc {
	return p.relayed(provider, "acs", func(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
		state := r.PostForm.Get("RelayState")
		t, err := p.takeTicket(w, r, state)
		if err != nil || t.Provider != provider.Name {
			return p.notSignedIn(w, r, provider, challenge.ErrCeremonyInvalid)
		}
		return p.finish(w, r, provider, t, identity.Answer{Code: r.PostForm.Get("SAMLResponse"), State: state})
	})
}

// relayed calls h with forms of our own page, which sends those of other sites once more.
func (p *Pages) relayed(provider identity.Provider, to string, h web.Handler) http.HandlerFunc {
	own := p.Authorize(web.Anybody, p.parseAnswer, h).Serve
	return func(w http.ResponseWriter, r *http.Request) {
		if http.NewCrossOriginProtection().Check(r) == nil {
			own(w, r)
			return
		}
		if p.parseAnswer(w, r) {
			p.relay(w, r, pathOf(provider)+"/"+to, "SAMLRequest", "SAMLResponse", "RelayState")
		}
	}
}

// relay shows a page that sends some fields of a form again.
func (p *Pages) relay(w http.ResponseWriter, r *http.Request, path string, fields ...string) {
	lang := web.LangOf(r)
	v := relayView{Path: path}
	for _, name := range fields {
		if r.PostForm.Has(name) {
			v.Hidden = append(v.Hidden, web.Hidden{Name: name, Value: r.PostForm.Get(name)})
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	p.Render(w, r, http.StatusOK, "relay", web.PageData{Lang: lang, Title: web.Translate(lang, "One moment"), Page: v})
}

// parseAnswer is ParseForm for forms of providers, which are larger than ours.
func (p *Pages) parseAnswer(w http.ResponseWriter, r *http.Request) bool {
	return p.ParseFormUpTo(w, r, maxAnswer)
}
