package openidhttp

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/openid"
)

// serviceLogoutRoutes returns where the services of external sign-ins say that a session there has ended.
func (h *Handler) serviceLogoutRoutes() (all []Route) {
	for _, p := range h.Identities.Available() {
		if p.Protocol != identity.SAML {
			all = append(all, Route{http.MethodPost, "/auth/oidc/" + p.Name + "/logout", h.serviceLogout(p.Name)})
		}
	}
	return all
}

// serviceLogout serves POST /auth/oidc/NAME/logout (OpenID Connect Back-Channel Logout, section 2.5).
func (h *Handler) serviceLogout(provider string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		form, err := readForm(w, r)
		if err == nil && form.Get("logout_token") == "" {
			err = openid.ErrInvalidRequest.WithMsg("logout_token is missing.")
		}
		if err == nil {
			err = h.ServiceLogouts.End(r.Context(), provider, form.Get("logout_token"), httpx.ClientInfo(r.Context()))
		}
		if err != nil {
			h.Log.WarnContext(r.Context(), "a service could not end a session", "provider", provider, "error", err)
			h.fail(w, r, err)
			return
		}
		w.WriteHeader(http.StatusOK)
	}
}
