package accountpages

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// tokenPages lets people make access tokens for their scripts.
func (p *Pages) tokenPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(tokensPath, p.ForMembers(p.tokens)), web.Post(tokensPath+"/revoke", p.ForMembers(p.revokeToken)),
			web.Post(tokensPath, p.ForMembers(p.addToken)).Restores(web.Restored("Access tokens", newTokenForm().form())),
		},
		Flashes: map[string]string{"tokenrevoked": "The access token was revoked."},
	}
}

const tokensPath = securityPath + "/tokens"

// tokenScopeLabels say what scopes let a script do.
var tokenScopeLabels = map[string]string{
	"openid":         "Read the ID of your account",
	"email":          "Read your email address",
	"profile":        "Read your name and your language",
	user.ScopeMarket: "Use the marketplace as you, with all that you may do there",
}

// tokenForm is the form that makes a token. Its scopes are a group.
type tokenForm struct {
	Action, Error string
	Name, Expires web.Field
	Scopes        []web.Field
}

func newTokenForm() tokenForm {
	f := tokenForm{
		Action: tokensPath,
		Name:   web.Field{Name: "name", Label: "Name", Autocomplete: "off", Max: session.MaxPersonalTokenName, Hint: "For instance the script that uses it."},
		Expires: web.Field{Name: "expires", Label: "Valid for", Type: "choice", Value: "720h", Options: []web.Option{
			{Value: "168h", Label: "7 days"}, {Value: "720h", Label: "30 days"}, {Value: "2160h", Label: "90 days"}, {Value: "8760h", Label: "a year"},
		}},
	}
	for _, scope := range session.PersonalTokenScopes() {
		f.Scopes = append(f.Scopes, web.Field{Name: scope, Label: tokenScopeLabels[scope], Type: "check", Optional: true})
	}
	return f
}

// form is the same without groups.
func (f tokenForm) form() web.Form {
	return web.Form{Action: f.Action, Button: "Make the token", Fields: append(append([]web.Field{f.Name}, f.Scopes...), f.Expires), Error: f.Error}
}

// with returns the form with what was typed and what is wrong with it.
func (f tokenForm) with(lang user.Lang, typed url.Values, err error) tokenForm {
	all := f.form().WithValues(typed).WithErrors(lang, err)
	last := len(all.Fields) - 1
	f.Error, f.Name, f.Scopes, f.Expires = all.Error, all.Fields[0], all.Fields[1:last], all.Fields[last]
	return f
}

// tokensView lists the tokens of the viewer.
type tokensView struct {
	Tokens []listedToken
	Add    tokenForm
}

// listedToken is a token with what it lets a script do, in words.
type listedToken struct {
	session.PersonalToken
	May []string
}

// tokens serves GET /account/security/tokens.
func (p *Pages) tokens(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showTokens(w, r, by, http.StatusOK, newTokenForm())
}

func (p *Pages) showTokens(w http.ResponseWriter, r *http.Request, by user.Caller, status int, add tokenForm) error {
	all, err := p.Identity.PersonalTokens.List(r.Context(), by)
	if err != nil {
		return err
	}
	v := tokensView{Add: add}
	for _, one := range all {
		listed := listedToken{PersonalToken: one}
		for scope := range strings.FieldsSeq(one.Scopes) {
			listed.May = append(listed.May, cmp.Or(web.Translate(web.LangOf(r), tokenScopeLabels[scope]), scope))
		}
		v.Tokens = append(v.Tokens, listed)
	}
	return p.Show(w, r, status, "tokens", "Access tokens", v)
}

// addToken serves POST /account/security/tokens. It answers with a page instead of a redirect, because
// the token is shown only once.
func (p *Pages) addToken(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	typed := r.PostForm
	scopes := slices.DeleteFunc(session.PersonalTokenScopes(), func(scope string) bool { return !typed.Has(scope) })
	lifetime, err := time.ParseDuration(typed.Get("expires"))
	if err != nil {
		lifetime = 0 // which is refused
	}
	token, err := p.Identity.PersonalTokens.Create(r.Context(), by, typed.Get("name"), scopes, lifetime)
	if err != nil && web.CanRetry(err) {
		p.LogFailure(r, "form "+r.URL.Path, err)
		return p.showTokens(w, r, by, httpx.Status(err), newTokenForm().with(web.LangOf(r), typed, err))
	}
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "token", "Your access token", token)
}

// revokeToken serves POST /account/security/tokens/revoke.
func (p *Pages) revokeToken(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Identity.PersonalTokens.Revoke(r.Context(), by, web.IDOf[user.SessionID](r.PostForm.Get("id")))
	return p.Done(w, r, err, tokensPath, "tokenrevoked")
}
