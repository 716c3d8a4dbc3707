package operations

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/user"
)

// roles are the names of roles in access tokens.
var roles = map[user.Role]string{user.Regular: "USER", user.Admin: "ADMIN", user.Owner: "OWNER"}

// VerifyCaller tells a proxy whether it may pass a request on to another service: 204 with
// the id, the role and the session of the signed-in user in headers, else the status of the
// refusal, which is 401 if nobody is signed in. It has no body, because proxies read none.
// Sessions that were revoked are refused at once.
func VerifyCaller(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	caller, err := httpx.CallerFrom(r.Context())
	if err == nil {
		err = caller.MustBe(user.Regular)
	}
	if err != nil {
		status := httpx.Status(err)
		if status == http.StatusUnauthorized {
			h.Set("WWW-Authenticate", "Bearer")
		}
		httpx.SetRetryAfter(h, err)
		w.WriteHeader(status)
		return
	}
	h.Set("Octavo-User", caller.ID.String())
	h.Set("Octavo-Role", roles[caller.Role])
	h.Set("Octavo-Session", caller.Session.String())
	w.WriteHeader(http.StatusNoContent)
}
