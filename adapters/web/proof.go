package web

import (
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
)

// confirmPath is the page on which people prove their identity before they change how they
// sign in. See auth.Sessions.Reauthenticate.
const confirmPath = "/account/confirm"

// redirectToConfirm redirects to the page that asks for a proof, which leads back here.
func (p *Pages) redirectToConfirm(w http.ResponseWriter, r *http.Request) {
	next := returnPath(r)
	if r.Method == http.MethodPost {
		next = securityPath // a form is not submitted again
		switch r.URL.Path {
		case leavePath, exportPath, emailPath:
			next = r.URL.Path // the page of the form
		}
	}
	http.Redirect(w, r, confirmPath+"?"+url.Values{"next": {next}}.Encode(), http.StatusSeeOther)
}

// proofForm asks for what the account can prove: the password, with a code if there is a
// second factor, or the code of a mail.
func (p *Pages) proofForm(r *http.Request, by user.Caller, next string) (formView, error) {
	u, err := p.Identity.People.Me(r.Context(), by)
	if err != nil {
		return formView{}, err
	}
	v := formView{
		Head: "Confirm that it is you", Text: "You are about to change how you sign in. We will not ask again for ten minutes.",
		Form: form{Action: confirmPath, Button: "Continue", Hidden: []hidden{{"next", next}}},
	}
	if u.PasswordHash == "" {
		v.Text = "You are about to change how you sign in. Request a code by email, then enter it here."
		v.First = &form{Action: confirmPath + "/code", Button: "Email me a code", Hidden: []hidden{{"next", next}}}
		v.Form.Fields = []field{codeField}
		return v, nil
	}
	v.Form.Fields = []field{passwordField}
	on, err := p.Identity.SecondFactors.Enabled(r.Context(), by, by.ID)
	if on {
		v.Form.Fields = append(v.Form.Fields, appCodeField)
	}
	return v, err
}

// appCodeField is the input of the code of an authenticator app. Recovery codes have letters.
var appCodeField = field{Name: "code", Label: "Code of your authenticator app, or a recovery code", Autocomplete: "one-time-code", Max: 40}

// showProofForm serves GET /account/confirm.
func (p *Pages) showProofForm(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	v, err := p.proofForm(r, by, localPath(r.URL.Query().Get("next")))
	if err == nil {
		p.renderForm(w, r, v)
	}
	return err
}

// mailConfirmCode serves POST /account/confirm/code.
func (p *Pages) mailConfirmCode(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	u, err := p.Identity.People.Me(r.Context(), by)
	if err != nil {
		return err
	}
	if err := p.Identity.Sessions.RequestCode(r.Context(), string(u.Email), u.Lang, by.From); err != nil {
		return err
	}
	return p.redirect(w, r, confirmPath+"?"+url.Values{"next": {r.PostForm.Get("next")}}.Encode(), "codesent")
}

// proveIdentity serves POST /account/confirm.
func (p *Pages) proveIdentity(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	proof := auth.Proof{Code: r.PostForm.Get("code")}
	if r.PostForm.Has("password") {
		password := r.PostForm.Get("password")
		proof.Password = &password
	}
	err := p.Identity.Sessions.Reauthenticate(r.Context(), by, proof)
	if err == nil {
		return p.redirect(w, r, r.PostForm.Get("next"), "")
	}
	v, broken := p.proofForm(r, by, localPath(r.PostForm.Get("next")))
	if broken != nil {
		return broken
	}
	p.renderFormErrorWithoutCode(w, r, v, err)
	return nil
}

// renderFormErrorWithoutCode is renderFormError for a form whose code cannot be used again.
func (p *Pages) renderFormErrorWithoutCode(w http.ResponseWriter, r *http.Request, v formView, err error) {
	r.PostForm.Del("code")
	p.log(r, "form "+r.URL.Path, err)
	httpx.SetRetryAfter(w.Header(), err)
	lang := langOf(r)
	v.Form = v.Form.withErrors(lang, err)
	p.render(w, r, httpx.Status(err), "form", pageData{lang, translate(lang, v.Head), v})
}
