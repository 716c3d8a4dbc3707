package accountpages

import (
	"cmp"
	"html/template"
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/user"
)

// securityPages is about passkeys, the second factor, and other services that sign in.
func (p *Pages) securityPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(securityPath, p.ForMembers(p.security)), web.Post(securityPath+"/identities/remove", p.ForMembers(p.unlinkIdentity)),
			web.Post(securityPath+"/totp", p.ForMembers(p.startTotp)), web.Post(securityPath+"/totp/confirm", p.ForMembers(p.confirmTotp)),
			web.Post(securityPath+"/totp/codes", p.ForMembers(p.renewCodes)), web.Post(securityPath+"/totp/disable", p.ForMembers(p.disableTotp)),
			web.Post(securityPath+"/passkeys/remove", p.ForMembers(p.removePasskey)),
		},
		Flashes: map[string]string{
			"unlinked":   "This service can no longer sign you in.",
			"totpoff":    "The authenticator app is turned off.",
			"passkeyoff": "The passkey was removed.",
		},
	}
}

const securityPath = "/account/security"

// securityView is the page about passkeys and the second factor.
type securityView struct {
	Passkeys []passkey.Passkey
	Add      web.Form
	GoOn     bool // the script is to add the passkey at once
	TotpOn   bool
	// SignInHere says that people may sign in here, and not at other services alone.
	SignInHere bool
	Disable    web.Form
	// Linked are the external sign-ins of the account, and Linkable those that it lacks.
	Linked   []linkedIdentity
	Linkable []web.ProviderLink
}

// linkedIdentity is an identity with the name of its provider for people.
type linkedIdentity struct {
	identity.Identity
	Label string
}

var addPasskeyForm = web.Form{Action: securityPath + "/passkeys", Button: "Add a passkey", Fields: []web.Field{
	{Name: "name", Label: "Name of the passkey", Autocomplete: "off", Max: passkey.MaxName, Hint: "For instance the device on which it is stored."},
}}

var disableForm = web.Form{Action: securityPath + "/totp/disable", Button: "Turn off", Fields: []web.Field{appCodeField}}

// security serves GET /account/security.
func (p *Pages) security(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showSecurity(w, r, by, http.StatusOK, func(*securityView) {})
}

func (p *Pages) showSecurity(w http.ResponseWriter, r *http.Request, by user.Caller, status int, amend func(*securityView)) error {
	v := securityView{Disable: disableForm, SignInHere: !p.externalOnly()}
	if v.SignInHere {
		v.Add = addPasskeyForm
	}
	var err error
	if v.Passkeys, err = p.Identity.Passkeys.List(r.Context(), by); err != nil {
		return err
	}
	if v.TotpOn, err = p.Identity.SecondFactors.Enabled(r.Context(), by, by.ID); err != nil {
		return err
	}
	if err := p.addIdentities(r, by, &v); err != nil {
		return err
	}
	amend(&v)
	return p.Show(w, r, status, "security", "Signing in", v)
}

// addIdentities fills in the external sign-ins, where there are any.
func (p *Pages) addIdentities(r *http.Request, by user.Caller, v *securityView) error {
	if p.ExternalSignIn == nil {
		return nil
	}
	all, err := p.ExternalSignIn.Identities.List(r.Context(), by)
	if err != nil {
		return err
	}
	labels, used := map[string]string{}, map[string]bool{}
	for _, provider := range p.ExternalSignIn.Identities.Available() {
		labels[provider.Name] = provider.Label
	}
	for _, one := range all {
		used[one.Provider] = true
		v.Linked = append(v.Linked, linkedIdentity{one, cmp.Or(labels[one.Provider], one.Provider)})
	}
	for _, provider := range p.ExternalSignIn.Identities.Available() {
		if !used[provider.Name] {
			v.Linkable = append(v.Linkable, web.ProviderLink{Path: pathOf(provider), Label: provider.Label})
		}
	}
	return nil
}

// unlinkIdentity serves POST /account/security/identities/remove.
func (p *Pages) unlinkIdentity(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if p.ExternalSignIn == nil {
		return identity.ErrNotFound
	}
	err := p.ExternalSignIn.Identities.Unlink(r.Context(), by, web.IDOf[identity.ID](r.PostForm.Get("id")))
	return p.Done(w, r, err, securityPath, "unlinked")
}

// totpView is the page that connects an authenticator app.
type totpView struct {
	QRCode template.HTML
	Secret string
	URI    template.URL
	Form   web.Form
}

func totpForm() web.Form {
	return web.Form{Action: securityPath + "/totp/confirm", Button: "Turn on", Fields: []web.Field{
		{Name: "code", Label: "Code", Autocomplete: "one-time-code", InputMode: "numeric", Max: 20},
	}}
}

// startTotp serves POST /account/security/totp.
func (p *Pages) startTotp(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	setup, err := p.Identity.SecondFactors.Start(r.Context(), by)
	if err != nil {
		return err
	}
	v := totpView{QRCode: template.HTML(setup.QRCode), Secret: setup.Secret, URI: template.URL(setup.URI), Form: totpForm()} //nolint:gosec // both are our own
	return p.Show(w, r, http.StatusOK, "totp", "Connect an authenticator app", v)
}

// confirmTotp serves POST /account/security/totp/confirm.
func (p *Pages) confirmTotp(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	codes, err := p.Identity.SecondFactors.Confirm(r.Context(), by, r.PostForm.Get("code"))
	if kind := fault.KindOf(err); kind == fault.Invalid || kind == fault.Limited {
		lang := web.LangOf(r)
		httpx.SetRetryAfter(w.Header(), err)
		return p.Show(w, r, httpx.Status(err), "totp", "Connect an authenticator app", totpView{Form: totpForm().WithErrors(lang, err)})
	}
	return p.showRecoveryCodes(w, r, codes, err)
}

// renewCodes serves POST /account/security/totp/codes.
func (p *Pages) renewCodes(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	codes, err := p.Identity.SecondFactors.RenewRecoveryCodes(r.Context(), by)
	return p.showRecoveryCodes(w, r, codes, err)
}

func (p *Pages) showRecoveryCodes(w http.ResponseWriter, r *http.Request, codes []string, err error) error {
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "recoverycodes", "Your recovery codes", codes)
}

// disableTotp serves POST /account/security/totp/disable.
func (p *Pages) disableTotp(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Identity.SecondFactors.Disable(r.Context(), by, r.PostForm.Get("code"))
	if kind := fault.KindOf(err); kind == fault.Invalid || kind == fault.Limited {
		httpx.SetRetryAfter(w.Header(), err)
		return p.showSecurity(w, r, by, httpx.Status(err), func(v *securityView) { v.Disable = disableForm.WithErrors(web.LangOf(r), err) })
	}
	return p.Done(w, r, err, securityPath, "totpoff")
}

// removePasskey serves POST /account/security/passkeys/remove.
func (p *Pages) removePasskey(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Identity.Passkeys.Remove(r.Context(), by, web.IDOf[passkey.ID](r.PostForm.Get("id")))
	return p.Done(w, r, err, securityPath, "passkeyoff")
}
