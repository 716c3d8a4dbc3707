package openidhttp

import (
	"net/http"
	"net/url"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth/machines"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/openid"
)

const (
	clientCredentials = "client_credentials"
	// assertionType is the kind of assertion that RFC 7523 defines.
	assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
)

// machineAnswer is the body of an issued machine's token, which has neither ID token nor refresh token.
type machineAnswer struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int    `json:"expires_in"`
	Scope       string `json:"scope"`
}

// hasAssertion reports whether the client of a form authenticates by a signed assertion, as only machines do.
func hasAssertion(form url.Values) bool {
	return form.Has("client_assertion") || form.Has("client_assertion_type")
}

// clientID returns the id with which a client would authenticate; "" for none.
func clientID(r *http.Request, form url.Values) string {
	if _, header := r.Header["Authorization"]; header {
		id, _, _ := basicAuth(r)
		return id
	}
	return form.Get("client_id")
}

// authenticateMachine returns the machine client of a form: by private_key_jwt, client_secret_basic or
// client_secret_post.
func (h *Handler) authenticateMachine(w http.ResponseWriter, r *http.Request, form url.Values) (machine.Client, error) {
	if !hasAssertion(form) {
		id, secret, err := h.credentials(w, r, form)
		if err != nil {
			return machine.Client{}, err
		}
		client, err := h.MachineTokens.AuthenticateBySecret(r.Context(), id, secret)
		if err == nil {
			w.Header().Del("WWW-Authenticate")
		}
		return client, err
	}
	if _, header := r.Header["Authorization"]; header || form.Has("client_secret") {
		return machine.Client{}, openid.ErrInvalidRequest.WithMsg("The client must authenticate in one way.")
	}
	if form.Get("client_assertion_type") != assertionType {
		return machine.Client{}, machine.ErrUnknown.WithMsg("client_assertion_type must be " + assertionType + ".")
	}
	client, err := h.MachineTokens.AuthenticateByAssertion(r.Context(), form.Get("client_assertion"), h.Issuer, h.BaseURL+tokenPath)
	if err == nil && form.Has("client_id") && form.Get("client_id") != client.ID {
		err = machine.ErrUnknown
	}
	return client, err
}

// issueToMachine answers grant_type=client_credentials (RFC 6749, section 4.4; RFC 8707).
func (h *Handler) issueToMachine(w http.ResponseWriter, r *http.Request, form url.Values) {
	if id := clientID(r, form); id != "" && !machine.IsClientID(id) {
		h.fail(w, r, openid.ErrUnauthorizedClient)
		return
	}
	client, err := h.authenticateMachine(w, r, form)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	resource, err := resourceOf(form)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	issued, err := h.MachineTokens.Issue(r.Context(), client, resource, form.Get("scope"), httpx.ClientInfo(r.Context()))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	w.Header().Set("Pragma", "no-cache")
	writeJSON(w, http.StatusOK, machineAnswer{
		AccessToken: issued.AccessToken, TokenType: "Bearer", ExpiresIn: int(issued.ExpiresIn / time.Second), Scope: issued.Scopes,
	})
}

// revokeOfMachine serves POST /oauth2/revoke for machines.
func (h *Handler) revokeOfMachine(w http.ResponseWriter, r *http.Request, form url.Values) {
	client, err := h.authenticateMachine(w, r, form)
	if err == nil {
		err = h.MachineTokens.Revoke(r.Context(), client, form.Get("token"), httpx.ClientInfo(r.Context()))
	}
	if err != nil {
		h.fail(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
}

// introspectForResource serves POST /oauth2/introspect for a resource, which learns about the tokens of its own
// audience.
func (h *Handler) introspectForResource(w http.ResponseWriter, r *http.Request, form url.Values) {
	resource, secret, err := h.credentials(w, r, form)
	var of machine.Resource
	if err == nil {
		of, err = h.MachineTokens.AuthenticateResource(r.Context(), resource, secret)
	}
	if err != nil {
		h.fail(w, r, err)
		return
	}
	w.Header().Del("WWW-Authenticate")
	person, client, err := h.Authorizations.InspectAt(r.Context(), of, form.Get("token"))
	if err == nil && person.Active {
		writeJSON(w, http.StatusOK, h.describe(person, client))
		return
	}
	var info machines.Inspection
	if err == nil {
		info, err = h.MachineTokens.Inspect(r.Context(), of, form.Get("token"))
	}
	switch {
	case err != nil:
		h.fail(w, r, err)
	case !info.Active:
		writeJSON(w, http.StatusOK, inspection{})
	default:
		writeJSON(w, http.StatusOK, inspection{
			Active: true, Scope: info.Scopes, Client: info.Client, TokenType: "Bearer", ExpiresAt: info.ExpiresAt.Unix(),
			IssuedAt: info.IssuedAt.Unix(),
			Subject:  info.Client, Session: id.Format(int64(info.Session)), Issuer: h.Issuer, Audience: info.Audience,
		})
	}
}
