package graph_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/graph"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/stores"
)

// BenchmarkMe measures the handler over SQLite; the tokens are not signed.
func BenchmarkMe(b *testing.B) {
	kit := authkit.New(b, stores.SQLite(b).Auth(b), nil)
	kit.CreateUser(b, "ada@campus.edu")
	token := kit.SignIn(b, "ada@campus.edu").AccessToken
	h := newHandler(b, kit.Auth, kit.Authenticator, graph.Config{})
	body := query(b, "{ me { id email role } }")
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}
