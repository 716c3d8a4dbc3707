package rest

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"sync"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/domain/user"
)

//go:embed templates
var files embed.FS

// Page is an HTML page without its layout.
type Page struct {
	Status int
	Lang   user.Lang
	Title  string
	Main   template.HTML
}

// Layout renders a page with the head, header and style sheet of all pages.
type Layout func(http.ResponseWriter, *http.Request, Page)

// staticPolicy is the content security policy of files that are not pages.
const staticPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"

// pages holds the templates and static files. The files of /api/docs are large, so
// they are loaded on first use.
type pages struct {
	confirm  *template.Template
	docs     func() (map[string]staticFile, error)
	document staticFile
}

// staticFile is a static file.
type staticFile struct {
	mediaType, policy, etag string
	body                    []byte
	gzipped                 bool // body is compressed; it is decompressed for clients that do not accept gzip
}

func newStaticFile(mediaType string, body []byte) staticFile {
	sum := sha256.Sum256(body)
	// A weak tag, because a compressed body and a plain one share it.
	etag := `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	return staticFile{mediaType: mediaType, policy: staticPolicy, etag: etag, body: body}
}

func newPages() (*pages, error) {
	confirm, err := template.ParseFS(files, "templates/confirm.html.tmpl")
	if err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	return &pages{
		confirm:  confirm,
		docs:     sync.OnceValues(loadDocs),
		document: newStaticFile("application/yaml; charset=utf-8", documentText),
	}, nil
}

func (s staticFile) write(c *gin.Context) error {
	header := c.Writer.Header()
	body := s.body
	if s.gzipped {
		header.Add("Vary", "Accept-Encoding")
	}
	header.Set("Content-Security-Policy", s.policy)
	header.Set("Cache-Control", "no-cache") // cache, but revalidate each time
	header.Set("ETag", s.etag)
	switch {
	case etagMatches(c.GetHeader("If-None-Match"), s.etag):
		c.Status(http.StatusNotModified)
		return nil
	case s.gzipped && acceptsGzip(c.GetHeader("Accept-Encoding")):
		header.Set("Content-Encoding", "gzip")
	case s.gzipped:
		var err error
		if body, err = gunzip(body); err != nil {
			return fmt.Errorf("rest: %w", err)
		}
	}
	c.Data(http.StatusOK, s.mediaType, body)
	return nil
}

// getDocument serves GET /api/openapi.yaml.
func (h *Handler) getDocument(c *gin.Context) { _ = h.pages.document.write(c) } // fails only for compressed files

// renderPage renders a dynamic page.
func (h *Handler) renderPage(c *gin.Context, status int, t *template.Template, view confirmView) {
	var buf bytes.Buffer
	if err := t.Execute(&buf, view); err != nil {
		h.abortWithError(c, err)
		return
	}
	c.Header("X-Robots-Tag", "noindex")
	h.Layout(c.Writer, c.Request, Page{status, view.Lang, view.Title, template.HTML(buf.String())}) //nolint:gosec // from our own html/template
}
