package rest

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/gin-gonic/gin"
)

// docsFiles contains the page at /api/docs and the Swagger UI that it loads, as
// test/tools/swaggerui.sh fetches it.
//
//go:embed docs
var docsFiles embed.FS

// docsPolicy allows the page its own scripts and styles and requests to this server.
// The icons of Swagger UI are data: URLs.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const docsPage = "index.html"

var docsTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".txt": "text/plain; charset=utf-8",
}

// loadDocs loads the files by name. A .gz file is served under its name without that
// suffix, compressed to clients that accept it.
func loadDocs() (map[string]staticFile, error) {
	entries, err := docsFiles.ReadDir("docs")
	if err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	out := make(map[string]staticFile, len(entries))
	for _, e := range entries {
		body, err := docsFiles.ReadFile("docs/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("rest: %w", err)
		}
		name, gzipped := strings.CutSuffix(e.Name(), ".gz")
		s := newStaticFile(docsTypes[path.Ext(name)], body)
		s.gzipped = gzipped
		if name == docsPage {
			s.policy = docsPolicy
		}
		out[name] = s
	}
	return out, nil
}

// getDocs serves GET /api/docs.
func (h *Handler) getDocs(c *gin.Context) { h.writeDocs(c, docsPage) }

// getDocsFile serves GET /api/docs/:file.
func (h *Handler) getDocsFile(c *gin.Context) { h.writeDocs(c, c.Param("file")) }

func (h *Handler) writeDocs(c *gin.Context, name string) {
	docs, err := h.pages.docs()
	if err != nil {
		h.abortWithError(c, err)
		return
	}
	file, ok := docs[name]
	if !ok {
		h.abortWithError(c, errNoRoute)
		return
	}
	if err := file.write(c); err != nil {
		h.abortWithError(c, err)
	}
}

func acceptsGzip(header string) bool {
	return strings.Contains(header, "gzip") && !strings.Contains(header, "gzip;q=0")
}

func gunzip(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
