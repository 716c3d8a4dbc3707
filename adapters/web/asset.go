package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/octavo-books/octavo/adapters/httpx"
)

// asset is a static file.
type asset struct {
	mediaType string
	version   string // changes with the content
	body      []byte
	packed    func() []byte // the body with gzip, made on first use; nil where that makes it no smaller
}

// assets has the static files by their URL paths.
type assets map[string]asset

var mediaTypes = map[string]string{".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png", ".js": "text/javascript; charset=utf-8"}

// styleSheet is the one style sheet of all pages. It joins the files of static/css in the order
// of their names.
const styleSheet = "/static/octavo.css"

// loadAssets reads the static files. The variables in theme begin the style sheet, and are a file
// of their own for pages with another one.
func loadAssets(theme []byte) (assets, error) {
	all := assets{}
	all.add("/static/theme.css", theme)
	style := bytes.NewBuffer(slices.Clone(theme))
	err := fs.WalkDir(files, "static", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		body, err := files.ReadFile(name)
		if strings.HasPrefix(name, "static/css/") {
			style.Write(body)
		} else {
			all.add("/"+name, body)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	all.add(styleSheet, style.Bytes())
	return all, nil
}

func (a assets) add(name string, body []byte) {
	sum := sha256.Sum256(body)
	file := asset{mediaType: mediaTypes[path.Ext(name)], version: base64.RawURLEncoding.EncodeToString(sum[:6]), body: body}
	if path.Ext(name) != ".png" {
		file.packed = sync.OnceValue(func() []byte { return packed(body) })
	}
	a[name] = file
}

// packed compresses a file as well as gzip can: it is done once.
func packed(body []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level exists
	_, _ = z.Write(body)                                  // a buffer takes everything
	_ = z.Close()
	return b.Bytes()
}

// path returns the URL path of a file. It changes with the content, so that browsers can
// cache the file for ever.
func (a assets) path(name string) (string, error) {
	file, ok := a["/static/"+name]
	if !ok {
		return "", fmt.Errorf("web: no static file is named %q", name)
	}
	return "/static/" + name + "?v=" + file.version, nil
}

// staticFiles serves the static files.
func (p *Pages) staticFiles() (f feature) {
	for name, a := range p.assets {
		f.routes = append(f.routes, file(name, anonymous(a.serve)))
	}
	return f
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	caching := "no-cache"
	if r.URL.Query().Has("v") {
		caching = "public, max-age=31536000, immutable"
	}
	h, body := w.Header(), a.body
	h.Set("Cache-Control", caching)
	h.Set("Content-Type", a.mediaType)
	h.Set("ETag", `W/"`+a.version+`"`)
	if a.packed != nil {
		h.Add("Vary", "Accept-Encoding")
	}
	if httpx.IsCurrent(r, h.Get("ETag")) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if a.packed != nil && httpx.AcceptsGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = a.packed()
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}
