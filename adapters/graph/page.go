package graph

import (
	"embed"
	"net/http"
)

//go:embed page
var pageFiles embed.FS

// The page may load only its own script and style and call only its own origin.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pageAssets are the files of the page, by the query parameter "asset", so that one
// route serves all of them.
var pageAssets = map[string]struct{ file, contentType string }{
	"":          {"page/page.html", "text/html; charset=utf-8"},
	"script.js": {"page/script.js", "text/javascript; charset=utf-8"},
	"style.css": {"page/style.css", "text/css; charset=utf-8"},
}

// page serves a page to try operations. It loads nothing from other origins.
func page() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asset, ok := pageAssets[r.URL.Query().Get("asset")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		body, err := pageFiles.ReadFile(asset.file)
		if err != nil {
			http.Error(w, "The page is missing.", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", asset.contentType)
		w.Header().Set("Content-Security-Policy", pagePolicy)
		_, _ = w.Write(body)
	})
}
