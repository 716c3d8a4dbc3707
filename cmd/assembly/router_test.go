package assembly

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/test/settings"
)

func TestOnlyStreamsLastLongerThanARequest(t *testing.T) {
	s := settings.Default(t)
	limited := map[string]bool{}
	note := func(c *gin.Context) { _, limited[c.Request.URL.Path] = c.Request.Context().Deadline() }
	e := routeGroup{mount: func(engine *gin.Engine) error { engine.GET("/api/*rest", note); return nil }}
	h, err := newHandler(&s, nil, func(context.Context, httpx.RequestInfo) {}, nil, slog.New(slog.DiscardHandler), []routeGroup{e})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{inboxhttp.StreamPath: false, "/api/user/notifications/stream": false, inboxhttp.Path: true, inboxhttp.Path + "/x": true} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
		if got, asked := limited[path]; !asked || got != want {
			t.Errorf("%s: reached %v, with a deadline %v, want %v", path, asked, got, want)
		}
	}
}
