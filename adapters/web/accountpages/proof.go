package accountpages

import (
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/user"
)

// proofPages asks people again who they are.
func (p *Pages) proofPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(confirmPath, p.ForMembers(p.showProofForm)), web.Post(confirmPath, p.ForMembers(p.proveIdentity)), web.Post(confirmPath+"/code", p.ForMembers(p.mailConfirmCode)),
		},
		Flashes: map[string]string{"codesent": codeSent},
	}
}

const codeSent = "We have sent you a code."

// confirmPath is the page on which people prove their identity before they change how they
// sign in. See sessions.Sessions.Reauthenticate.
const confirmPath = "/account/confirm"

// begun is a form that waits for a proof of identity; the zero value is none.
type begun struct{ path, form string }

// begunIn returns the form that a proof continues.
func begunIn(r *http.Request) begun {
	return begun{r.PostForm.Get("then"), r.PostForm.Get("form")}
}

// askAgain shows the form that asks for a proof. It keeps a form that was submitted, which goes on
// by itself afterwards; a page is opened again.
func (p *Pages) askAgain(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if r.Method != http.MethodPost || p.continuation(r.URL.Path) == nil {
		http.Redirect(w, r, confirmPath+"?"+url.Values{"next": {web.ReturnPath(r)}}.Encode(), http.StatusSeeOther)
		return nil
	}
	next := securityPath
	switch r.URL.Path {
	case leavePath, exportPath, emailPath, tokensPath:
		next = r.URL.Path // the page of the form
	}
	v, err := p.proofForm(r, by, next, begun{r.URL.Path, r.PostForm.Encode()})
	if err == nil {
		p.RenderForm(w, r, v)
	}
	return err
}

// continuation returns what serves a form that needs a proof; nil for any other path.
func (p *Pages) continuation(path string) web.Handler {
	if p.ExternalSignIn != nil {
		for _, provider := range p.ExternalSignIn.Identities.Available() {
			if path == pathOf(provider) {
				return p.startLink(provider)
			}
		}
	}
	return map[string]web.Handler{
		emailPath: p.changeEmail, exportPath: p.export, leavePath: p.leave, tokensPath: p.addToken,
		securityPath + "/totp": p.startTotp, securityPath + "/totp/confirm": p.confirmTotp, securityPath + "/totp/codes": p.renewCodes,
		securityPath + "/totp/disable": p.disableTotp, securityPath + "/passkeys": p.addPasskey,
		securityPath + "/passkeys/remove": p.removePasskey, securityPath + "/identities/remove": p.unlinkIdentity,
	}[path]
}

// goOn serves what was begun before the proof, or opens the next page.
func (p *Pages) goOn(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	waiting := begunIn(r)
	h := p.continuation(waiting.path)
	form, err := url.ParseQuery(waiting.form)
	if h == nil || err != nil {
		return p.Redirect(w, r, r.PostForm.Get("next"), "")
	}
	again := r.Clone(r.Context())
	again.URL = &url.URL{Path: waiting.path}
	again.Form, again.PostForm = form, form
	if err = h(w, again, by); err != nil && p.RestoreForm(w, again, err) {
		return nil
	}
	return err
}

// proofForm asks for what the account can prove: the password, with a code if there is a
// second factor, or the code of a mail.
func (p *Pages) proofForm(r *http.Request, by user.Caller, next string, waiting begun) (web.FormView, error) {
	u, err := p.Identity.Users.Me(r.Context(), by)
	if err != nil {
		return web.FormView{}, err
	}
	kept := []web.Hidden{{Name: "next", Value: next}}
	if waiting.path != "" {
		kept = append(kept, web.Hidden{Name: "then", Value: waiting.path}, web.Hidden{Name: "form", Value: waiting.form})
	}
	v := web.FormView{
		Head: "Confirm that it is you", Text: "You are about to change how you sign in. We will not ask again for ten minutes.",
		Form: web.Form{Action: confirmPath, Button: "Continue", Hidden: kept},
	}
	if !p.Identity.SignIns.PasswordCounts(u) {
		v.Text = "You are about to change how you sign in. Request a code by email, then enter it here."
		v.First = &web.Form{Action: confirmPath + "/code", Button: "Email me a code", Hidden: kept}
		v.Form.Fields = []web.Field{codeField}
		return v, nil
	}
	v.Form.Fields = []web.Field{passwordField}
	on, err := p.Identity.SecondFactors.Enabled(r.Context(), by, by.ID)
	if on {
		v.Form.Fields = append(v.Form.Fields, appCodeField)
	}
	return v, err
}

// appCodeField is the input of the code of an authenticator app. Recovery codes have letters.
var appCodeField = web.Field{Name: "code", Label: "Code of your authenticator app, or a recovery code", Autocomplete: "one-time-code", Max: 40}

// showProofForm serves GET /account/confirm.
func (p *Pages) showProofForm(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	v, err := p.proofForm(r, by, web.LocalPath(r.URL.Query().Get("next")), begun{})
	if err == nil {
		p.RenderForm(w, r, v)
	}
	return err
}

// mailConfirmCode serves POST /account/confirm/code.
func (p *Pages) mailConfirmCode(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if err := p.Identity.SignIns.RequestProof(r.Context(), by); err != nil {
		return err
	}
	if waiting := begunIn(r); waiting.path != "" { // too long for an address
		v, err := p.proofForm(r, by, web.LocalPath(r.PostForm.Get("next")), waiting)
		if err == nil {
			v.Text = codeSent
			p.RenderForm(w, r, v)
		}
		return err
	}
	return p.Redirect(w, r, confirmPath+"?"+url.Values{"next": {r.PostForm.Get("next")}}.Encode(), "codesent")
}

// proveIdentity serves POST /account/confirm.
func (p *Pages) proveIdentity(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	proof := signin.Proof{Code: r.PostForm.Get("code")}
	if r.PostForm.Has("password") {
		password := r.PostForm.Get("password")
		proof.Password = &password
	}
	err := p.Identity.SignIns.Reauthenticate(r.Context(), by, proof)
	if err == nil {
		return p.goOn(w, r, by)
	}
	v, broken := p.proofForm(r, by, web.LocalPath(r.PostForm.Get("next")), begunIn(r))
	if broken != nil {
		return broken
	}
	p.renderFormErrorWithoutCode(w, r, v, err)
	return nil
}

// renderFormErrorWithoutCode is RenderFormError for a form whose code cannot be used again.
func (p *Pages) renderFormErrorWithoutCode(w http.ResponseWriter, r *http.Request, v web.FormView, err error) {
	r.PostForm.Del("code")
	p.LogFailure(r, "form "+r.URL.Path, err)
	httpx.SetRetryAfter(w.Header(), err)
	lang := web.LangOf(r)
	v.Form = v.Form.WithErrors(lang, err)
	p.Render(w, r, httpx.Status(err), "form", web.PageData{Lang: lang, Title: web.Translate(lang, v.Head), Page: v})
}
