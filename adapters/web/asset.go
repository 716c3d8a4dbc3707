package web

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"path"
)

// asset is a static file.
type asset struct {
	mediaType string
	body      []byte
}

var mediaTypes = map[string]string{".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".js": "text/javascript; charset=utf-8"}

func loadAssets() (map[string]asset, error) {
	entries, err := files.ReadDir("static")
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	assets := make(map[string]asset, len(entries))
	for _, e := range entries {
		body, err := files.ReadFile("static/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("web: %w", err)
		}
		assets["/static/"+e.Name()] = asset{mediaTypes[path.Ext(e.Name())], body}
	}
	return assets, nil
}

// assetPath returns the URL path of a file. It changes with the content, so that
// browsers can cache the file for ever.
func assetPath(name string) (string, error) {
	body, err := files.ReadFile("static/" + name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(body)
	return "/static/" + name + "?v=" + base64.RawURLEncoding.EncodeToString(sum[:6]), nil
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	caching := "no-cache"
	if r.URL.Query().Has("v") {
		caching = "public, max-age=31536000, immutable"
	}
	w.Header().Set("Cache-Control", caching)
	w.Header().Set("Content-Type", a.mediaType)
	_, _ = w.Write(a.body)
}
