package openidhttp

import "net/http"

// withCORS lets the pages of public clients read the answers, without cookies.
func (h *Handler) withCORS(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, err := h.allowOrigin(w, r); err != nil {
			h.fail(w, r, err)
			return
		}
		next(w, r)
	}
}

// allowOrigin sets the header that lets a page of a public client read the answer.
func (h *Handler) allowOrigin(w http.ResponseWriter, r *http.Request) (bool, error) {
	w.Header().Add("Vary", "Origin")
	origins := r.Header["Origin"]
	if len(origins) != 1 || origins[0] == "" {
		return false, nil
	}
	allowed, err := h.Clients.AllowsOrigin(r.Context(), origins[0])
	if err == nil && allowed {
		w.Header().Set("Access-Control-Allow-Origin", origins[0])
	}
	return allowed, err
}

// preflight answers the OPTIONS request that a browser sends before a request with custom
// headers.
func (h *Handler) preflight(w http.ResponseWriter, r *http.Request) {
	allowed, err := h.allowOrigin(w, r)
	switch {
	case err != nil:
		h.fail(w, r, err)
		return
	case !allowed:
		w.WriteHeader(http.StatusForbidden)
		return
	}
	header := w.Header()
	header.Set("Access-Control-Allow-Methods", "GET, POST")
	header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
	header.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}
