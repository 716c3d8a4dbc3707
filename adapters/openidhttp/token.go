package openidhttp

import (
	"net/http"
	"net/url"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/openid"
)

// tokenAnswer is the body of an issued token.
type tokenAnswer struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"`
	RefreshToken string `json:"refresh_token,omitempty"`
	IDToken      string `json:"id_token,omitempty"`
	Scope        string `json:"scope"`
}

// token serves POST /oauth2/token.
func (h *Handler) token(w http.ResponseWriter, r *http.Request) {
	form, err := readForm(w, r)
	if err == nil && form.Get("grant_type") == clientCredentials {
		h.issueToMachine(w, r, form)
		return
	}
	var tokens provider.ClientTokens
	if err == nil {
		tokens, err = h.issue(w, r, form)
	}
	if err != nil {
		h.fail(w, r, err)
		return
	}
	w.Header().Set("Pragma", "no-cache")
	writeJSON(w, http.StatusOK, tokenAnswer{
		AccessToken: tokens.AccessToken, TokenType: "Bearer", ExpiresIn: int(tokens.ExpiresIn / time.Second),
		RefreshToken: tokens.RefreshToken, IDToken: tokens.IDToken, Scope: tokens.Scopes,
	})
}

func (h *Handler) issue(w http.ResponseWriter, r *http.Request, form url.Values) (provider.ClientTokens, error) {
	client, err := h.authenticate(w, r, form)
	if err != nil {
		return provider.ClientTokens{}, err
	}
	resource, err := resourceOf(form)
	if err != nil {
		return provider.ClientTokens{}, err
	}
	from := httpx.ClientInfo(r.Context())
	switch form.Get("grant_type") {
	case "authorization_code":
		for _, name := range []string{"code", "redirect_uri", "code_verifier"} {
			if form.Get(name) == "" && (name != "code_verifier" || client.DemandsPKCE()) {
				return provider.ClientTokens{}, openid.ErrInvalidRequest.WithMsg(name + " is missing.")
			}
		}
		return h.Authorizations.Exchange(r.Context(), provider.CodeExchange{
			Client: client, Code: form.Get("code"), RedirectURI: form.Get("redirect_uri"), Verifier: form.Get("code_verifier"),
			Resource: resource, From: from,
		})
	case "refresh_token":
		if form.Get("refresh_token") == "" {
			return provider.ClientTokens{}, openid.ErrInvalidRequest.WithMsg("refresh_token is missing.")
		}
		return h.Authorizations.Refresh(r.Context(), provider.RefreshRequest{
			Client: client, Token: form.Get("refresh_token"), Scope: form.Get("scope"), Resource: resource, From: from,
		})
	case "":
		return provider.ClientTokens{}, openid.ErrInvalidRequest.WithMsg("grant_type is missing.")
	}
	return provider.ClientTokens{}, openid.ErrUnsupportedGrantType
}

// revoke serves POST /oauth2/revoke.
func (h *Handler) revoke(w http.ResponseWriter, r *http.Request) {
	form, err := readForm(w, r)
	if err == nil && form.Get("token") == "" {
		err = openid.ErrInvalidRequest.WithMsg("token is missing.")
	}
	if err == nil && (hasAssertion(form) || machine.IsClientID(clientID(r, form))) {
		h.revokeOfMachine(w, r, form)
		return
	}
	var client openid.Client
	if err == nil {
		client, err = h.authenticate(w, r, form)
	}
	if err == nil {
		err = h.Authorizations.Revoke(r.Context(), client, form.Get("token"), httpx.ClientInfo(r.Context()))
	}
	if err != nil {
		h.fail(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
}

// inspection is the body of an introspection. Everything but Active is omitted for a token that
// is not active.
type inspection struct {
	Active    bool     `json:"active"`
	Scope     string   `json:"scope,omitempty"`
	Client    string   `json:"client_id,omitempty"`
	TokenType string   `json:"token_type,omitempty"`
	ExpiresAt int64    `json:"exp,omitempty"`
	IssuedAt  int64    `json:"iat,omitempty"`
	Subject   string   `json:"sub,omitempty"`
	Session   string   `json:"sid,omitempty"`
	Issuer    string   `json:"iss,omitempty"`
	Audience  string   `json:"aud,omitempty"`
	ACR       string   `json:"acr,omitempty"`
	Methods   []string `json:"amr,omitempty"`
	AuthTime  int64    `json:"auth_time,omitempty"`
	Roles     []string `json:"roles,omitzero"`
	Groups    []string `json:"groups,omitzero"`
}

// introspect serves POST /oauth2/introspect.
func (h *Handler) introspect(w http.ResponseWriter, r *http.Request) {
	form, err := readForm(w, r)
	if err == nil && form.Get("token") == "" {
		err = openid.ErrInvalidRequest.WithMsg("token is missing.")
	}
	if err == nil && machine.IsResourceID(clientID(r, form)) {
		h.introspectForResource(w, r, form)
		return
	}
	var client openid.Client
	if err == nil {
		client, err = h.authenticate(w, r, form)
	}
	var info provider.ClientTokenInfo
	if err == nil {
		info, err = h.Authorizations.Inspect(r.Context(), client, form.Get("token"))
	}
	if err != nil {
		h.fail(w, r, err)
		return
	}
	if !info.Active {
		writeJSON(w, http.StatusOK, inspection{})
		return
	}
	writeJSON(w, http.StatusOK, h.describe(info, client.ID))
}

// describe returns what an introspection says about an active token of a client.
func (h *Handler) describe(info provider.ClientTokenInfo, client string) inspection {
	answer := inspection{
		Active: true, Scope: info.Scopes, Client: client, ExpiresAt: info.ExpiresAt.Unix(),
		Subject: info.User.String(), Session: id.Format(int64(info.Session)), Issuer: h.Issuer, Audience: info.Audience,
		ACR: info.ACR, Methods: info.Methods.List(), Roles: info.Roles, Groups: info.Groups,
	}
	if !info.AuthenticatedAt.IsZero() {
		answer.AuthTime = info.AuthenticatedAt.Unix()
	}
	if !info.Refresh {
		answer.TokenType, answer.IssuedAt = "Bearer", info.IssuedAt.Unix()
	}
	return answer
}
