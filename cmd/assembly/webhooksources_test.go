package assembly

import (
	"testing"

	"github.com/gin-gonic/gin"
)

func TestASourceMayNotTakeAPathOfTheProgram(t *testing.T) {
	w := &webhookSources{routes: gin.RoutesInfo{
		{Method: "GET", Path: "/"}, {Method: "GET", Path: "/books"}, {Method: "GET", Path: "/books/:id"}, {Method: "GET", Path: "/static/*file"},
	}}
	for path, want := range map[string]string{
		"/books": "/books", "/books/7": "/books/:id", "/static/a/b": "/static/*file", "/webhooks": "/webhooks", "/webhooks/x": "/webhooks",
		"/api/host/deliveries": "/api/host", "/books/7/hook": "", "/hooks/ci": "", "/bookshop": "", "/webhooksx": "",
	} {
		if got := w.routeAt(path); got != want {
			t.Errorf("%s belongs to %q, want %q", path, got, want)
		}
	}
}
