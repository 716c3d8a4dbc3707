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

// docsFiles are the page at /api/docs and what it loads. Swagger UI is there as
// test/tools/swaggerui.sh fetches it.
//
//go:embed docs
var docsFiles embed.FS

// docsPolicy lets the page load its own scripts and styles and call this server, no
// more. Swagger UI draws its icons from data: addresses.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const docsPage = "index.html"

var docsTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".txt": "text/plain; charset=utf-8",
}

// loadDocs reads the files by the last part of their address. One that ends in .gz is
// served without that ending, and compressed to clients that accept it.
func loadDocs() (map[string]static, error) {
	entries, err := docsFiles.ReadDir("docs")
	if err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	out := make(map[string]static, len(entries))
	for _, e := range entries {
		body, err := docsFiles.ReadFile("docs/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("rest: %w", err)
		}
		name, gzipped := strings.CutSuffix(e.Name(), ".gz")
		s := newStatic(docsTypes[path.Ext(name)], body)
		s.gzipped = gzipped
		if name == docsPage {
			s.policy = docsPolicy
		}
		out[name] = s
	}
	return out, nil
}

// getDocs serves GET /api/docs.
func (e *Edge) getDocs(c *gin.Context) { e.writeDocs(c, docsPage) }

// getDocsFile serves GET /api/docs/:file.
func (e *Edge) getDocsFile(c *gin.Context) { e.writeDocs(c, c.Param("file")) }

func (e *Edge) writeDocs(c *gin.Context, name string) {
	docs, err := e.pages.docs()
	if err != nil {
		e.refuse(c, err)
		return
	}
	file, ok := docs[name]
	if !ok {
		e.refuse(c, errNoRoute)
		return
	}
	if err := file.write(c); err != nil {
		e.refuse(c, err)
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
