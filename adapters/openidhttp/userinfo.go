package openidhttp

import (
	"net/http"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/openid"
)

// userInfo is the body of GET /oauth2/userinfo.
type userInfo struct {
	Subject    string `json:"sub"`
	Email      string `json:"email,omitempty"`
	Verified   *bool  `json:"email_verified,omitempty"`
	Name       string `json:"name,omitempty"`
	GivenName  string `json:"given_name,omitempty"`
	FamilyName string `json:"family_name,omitempty"`
	Locale     string `json:"locale,omitempty"`

	Roles  []string `json:"roles,omitzero"`
	Groups []string `json:"groups,omitzero"`
}

// userInfo serves GET and POST /oauth2/userinfo. Cookies do not count.
func (h *Handler) userInfo(w http.ResponseWriter, r *http.Request) {
	token, err := bearerToken(w, r)
	if err != nil {
		h.refuseBearer(w, r, err)
		return
	}
	if token == "" { // the challenge then says nothing of an error (RFC 6750, section 3.1)
		w.Header().Set("WWW-Authenticate", `Bearer realm="octavo"`)
		h.fail(w, r, openid.ErrInvalidToken)
		return
	}
	about, err := h.Authenticator.About(r.Context(), token, httpx.ClientInfo(r.Context()))
	if err != nil {
		h.refuseBearer(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, userInfo{
		Subject: about.User.String(), Email: string(about.Email), Verified: about.Verified, Name: about.Name,
		GivenName: about.GivenName, FamilyName: about.FamilyName, Locale: string(about.Lang),
		Roles: about.Roles, Groups: about.Groups,
	})
}

// bearerToken returns the token of a request: in the header or in the form, not in both
// (RFC 6750, section 2).
func bearerToken(w http.ResponseWriter, r *http.Request) (string, error) {
	token := ""
	if r.Method == http.MethodPost && strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		form, err := readForm(w, r)
		if err != nil {
			return "", err
		}
		token = form.Get("access_token")
	}
	headers, inHeader := r.Header["Authorization"]
	if !inHeader {
		return token, nil
	}
	scheme, credential, _ := strings.Cut(headers[0], " ")
	if token != "" || len(headers) != 1 {
		return "", openid.ErrInvalidRequest.WithMsg("The access token must be sent in one way.")
	}
	if !strings.EqualFold(scheme, "Bearer") {
		return "", openid.ErrInvalidToken
	}
	return strings.TrimSpace(credential), nil
}

// refuseBearer also puts the error into the WWW-Authenticate header (RFC 6750, section 3).
func (h *Handler) refuseBearer(w http.ResponseWriter, r *http.Request, err error) {
	if refusal := fault.As(err); refusal != nil && refusal.Kind != fault.Unavailable {
		w.Header().Set("WWW-Authenticate", `Bearer realm="octavo", error="`+refusal.Code+`", error_description="`+refusal.Msg+`"`)
	}
	h.fail(w, r, err)
}
