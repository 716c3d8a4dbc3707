package rest

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpkit"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/adapters/rest/wire"
)

// Refuse answers what the kit stops before a route is looked for, in the
// envelope; method is the path as it was asked for. It is an httpkit.Refuse.
func (e *Edge) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	status := httpkit.Status(err)
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(wire.Answer[restgen.Refusal]{
		Data: refusalOf(err, status), Time: e.clock.Now().UTC(), Method: strings.TrimSuffix(r.URL.Path, "/"),
	})
}
