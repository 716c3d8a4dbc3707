package accountpages

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/factors"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// passkeyPages registers passkeys and signs in with them.
func (p *Pages) passkeyPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Post(securityPath+"/passkeys/begin", p.ForMembers(p.beginPasskey)),
			web.Post(securityPath+"/passkeys", p.ForMembers(p.addPasskey)).Restores(web.Restored("Signing in", addPasskeyForm)),
			web.Post("/login/passkey/begin", p.ForAnybody(p.beginPasskeySignIn)), web.Post("/login/passkey", p.ForAnybody(p.signInWithPasskey)),
		},
		Flashes: map[string]string{"passkeyon": "The passkey was added."},
	}
}

// The script static/passkeys.js gets the options for the browser's WebAuthn API from these two
// paths, and then submits an ordinary form with the result.

// beginPasskey serves POST /account/security/passkeys/begin.
func (p *Pages) beginPasskey(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	c, err := p.Identity.Passkeys.BeginRegistration(r.Context(), by, r.PostForm.Get("name"))
	p.writeCeremony(w, r, c, err)
	return nil
}

// beginPasskeySignIn serves POST /login/passkey/begin.
func (p *Pages) beginPasskeySignIn(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	c, err := p.Identity.Passkeys.BeginSignIn(r.Context(), httpx.ClientInfo(r.Context()))
	p.writeCeremony(w, r, c, err)
	return nil
}

// writeCeremony answers the script. After an error it shows the message, or the page that
// asks for a proof of identity.
func (p *Pages) writeCeremony(w http.ResponseWriter, r *http.Request, c factors.PasskeyCeremony, err error) {
	answer, status := map[string]any{"id": c.ID, "options": c.Options}, http.StatusOK
	if err != nil {
		p.LogFailure(r, r.URL.Path, err)
		httpx.SetRetryAfter(w.Header(), err)
		answer, status = map[string]any{"error": web.ErrorMessage(web.LangOf(r), err)}, httpx.Status(err)
		if errors.Is(err, user.ErrProofNeeded) {
			answer, status = map[string]any{"to": confirmPath + "?next=" + securityPath}, http.StatusOK
		}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

// addPasskey serves POST /account/security/passkeys.
func (p *Pages) addPasskey(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	switch {
	case r.PostForm.Has("begin"): // the script needs a proof first
		if err := p.Identity.SignIns.MustHaveProved(r.Context(), by); err != nil {
			return err
		}
		return p.showSecurity(w, r, by, http.StatusOK, func(v *securityView) {
			v.Add, v.GoOn = v.Add.WithValues(r.PostForm), true
		})
	case !r.PostForm.Has("response"): // there was no script
		return p.showSecurity(w, r, by, http.StatusOK, func(v *securityView) {
			v.Add = v.Add.WithValues(r.PostForm)
			v.Add.Error = web.Translate(web.LangOf(r), "Your browser needs JavaScript for passkeys. Everything else works without it.")
		})
	}
	_, err := p.Identity.Passkeys.FinishRegistration(r.Context(), by, r.PostForm.Get("id"), json.RawMessage(r.PostForm.Get("response")))
	if kind := fault.KindOf(err); kind == fault.Invalid || kind == fault.Conflict {
		return p.showSecurity(w, r, by, httpx.Status(err), func(v *securityView) { v.Add = v.Add.WithErrors(web.LangOf(r), err) })
	}
	return p.Done(w, r, err, securityPath, "passkeyon")
}

// signInWithPasskey serves POST /login/passkey.
func (p *Pages) signInWithPasskey(w http.ResponseWriter, r *http.Request, _ user.Caller) error {
	typed := r.PostForm
	grant, err := p.Identity.Passkeys.FinishSignIn(r.Context(), typed.Get("id"), json.RawMessage(typed.Get("response")), typed.Has("remember"), httpx.ClientInfo(r.Context()))
	if err != nil {
		return p.RetryForm(w, r, p.signInForm(r, web.LocalPath(typed.Get("next"))), err)
	}
	p.ReplaceSession(w, r, grant)
	return p.Redirect(w, r, typed.Get("next"), "")
}
