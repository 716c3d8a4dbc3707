package openidhttp

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/openid"
)

// readForm returns the parameters in the body of a POST, each at most once but for resource (RFC 8707). Those in the address
// do not count: addresses are logged.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if mediaType, _, err := mime.ParseMediaType(
		r.Header.Get("Content-Type"),
	); err != nil || mediaType != "application/x-www-form-urlencoded" {
		return nil, openid.ErrInvalidRequest.WithMsg("The body must be application/x-www-form-urlencoded.")
	}
	if httpx.IsTooLong(r, maxForm) {
		return nil, fmt.Errorf("%w (%w)", openid.ErrInvalidRequest, &http.MaxBytesError{Limit: maxForm})
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return nil, openid.ErrInvalidRequest
	}
	for name, values := range r.PostForm {
		if len(values) != 1 && name != resourceParameter {
			return nil, openid.ErrInvalidRequest.WithMsg("A parameter occurs twice.")
		}
	}
	return r.PostForm, nil
}

const resourceParameter = "resource"

// resourceOf returns the resource that a token is for; "" for none. A token is for one.
func resourceOf(form url.Values) (string, error) {
	if len(form[resourceParameter]) > 1 {
		return "", openid.ErrInvalidTarget.WithMsg("A token is for one resource: ask for another one with the refresh token.")
	}
	return form.Get(resourceParameter), nil
}

// credentials returns the id and secret of a form: by client_secret_basic, by client_secret_post or the id
// alone. It accepts one method at a time.
func (h *Handler) credentials(w http.ResponseWriter, r *http.Request, form url.Values) (id, secret string, err error) {
	id, secret = form.Get("client_id"), form.Get("client_secret")
	if _, ok := r.Header["Authorization"]; ok {
		w.Header().Set("WWW-Authenticate", `Basic realm="octavo"`) // for the case that it is refused
		known, password, err := basicAuth(r)
		if err != nil {
			return "", "", err
		}
		if secret != "" || id != "" && id != known {
			return "", "", openid.ErrInvalidRequest.WithMsg("The client must authenticate in one way.")
		}
		id, secret = known, password
	}
	if id == "" {
		return "", "", openid.ErrInvalidClient.WithMsg("client_id is missing.")
	}
	return id, secret, nil
}

// authenticate returns the application of a form: by its secret or, if it is public, by its id alone.
func (h *Handler) authenticate(w http.ResponseWriter, r *http.Request, form url.Values) (openid.Client, error) {
	if hasAssertion(form) {
		return openid.Client{}, openid.ErrInvalidClient.WithMsg("Only machines authenticate by an assertion.")
	}
	id, secret, err := h.credentials(w, r, form)
	if err != nil {
		return openid.Client{}, err
	}
	client, err := h.Authorizations.AuthenticateClient(r.Context(), id, secret)
	if err == nil {
		w.Header().Del("WWW-Authenticate")
	}
	return client, err
}

// basicAuth reads id and secret, which are form-encoded in the header (RFC 6749, section 2.3.1).
func basicAuth(r *http.Request) (id, secret string, err error) {
	id, secret, ok := r.BasicAuth()
	if !ok || len(r.Header["Authorization"]) != 1 {
		return "", "", openid.ErrInvalidClient
	}
	id, err = url.QueryUnescape(id)
	if err != nil {
		return "", "", openid.ErrInvalidClient
	}
	secret, err = url.QueryUnescape(secret)
	if err != nil {
		return "", "", openid.ErrInvalidClient
	}
	return id, secret, nil
}
