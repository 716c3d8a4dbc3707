package ginserver_test

import (
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/ginserver"
)

func TestAnEncodedSlashAtTheEndBelongsToTheParameter(t *testing.T) {
	e := ginserver.NewEngine()
	e.GET("/search/:query", func(c *gin.Context) { c.String(200, "%s", c.Param("query")) })
	h := ginserver.Handler(e)
	for path, want := range map[string]string{
		"/search/C%2F": "C/", "/search/C%2F/": "C/", "/search/%2F": "/", "/search/C/": "C", "/search/C": "C",
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s answered %d %q, want %q", path, w.Code, w.Body, want)
		}
	}
}
