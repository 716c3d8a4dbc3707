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

// Page is a page for people without its frame.
type Page struct {
	Status int
	Lang   user.Lang
	Title  string
	Main   template.HTML
}

// Frame shows a page in what all pages have in common: the head, the header and
// the style sheet.
type Frame func(http.ResponseWriter, *http.Request, Page)

// staticPolicy is the content policy of files that are not pages.
const staticPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"

// pages are parsed when the program starts. The files of /api/docs are large and are
// hashed when the first of them is asked for.
type pages struct {
	confirm  *template.Template
	docs     func() (map[string]static, error)
	document static
}

// static is a file that is the same for everybody.
type static struct {
	mediaType, policy, etag string
	body                    []byte
	gzipped                 bool // the body, which is decompressed for clients that cannot
}

func newStatic(mediaType string, body []byte) static {
	sum := sha256.Sum256(body)
	// A weak tag, because a compressed body and a plain one share it.
	etag := `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	return static{mediaType: mediaType, policy: staticPolicy, etag: etag, body: body}
}

func newPages() (*pages, error) {
	confirm, err := template.ParseFS(files, "templates/confirm.html.tmpl")
	if err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	return &pages{
		confirm:  confirm,
		docs:     sync.OnceValues(loadDocs),
		document: newStatic("application/yaml; charset=utf-8", documentText),
	}, nil
}

func (s static) write(c *gin.Context) error {
	h := c.Writer.Header()
	body := s.body
	if s.gzipped {
		h.Add("Vary", "Accept-Encoding")
	}
	h.Set("Content-Security-Policy", s.policy)
	h.Set("Cache-Control", "no-cache") // keep it, but ask each time
	h.Set("ETag", s.etag)
	switch {
	case matches(c.GetHeader("If-None-Match"), s.etag):
		c.Status(http.StatusNotModified)
		return nil
	case s.gzipped && acceptsGzip(c.GetHeader("Accept-Encoding")):
		h.Set("Content-Encoding", "gzip")
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
func (e *Edge) getDocument(c *gin.Context) { _ = e.pages.document.write(c) } // it is not compressed

// page writes a page that is made for one request.
func (e *Edge) page(c *gin.Context, status int, t *template.Template, view confirmView) {
	var buf bytes.Buffer
	if err := t.Execute(&buf, view); err != nil {
		e.refuse(c, err)
		return
	}
	c.Header("X-Robots-Tag", "noindex")
	e.Frame(c.Writer, c.Request, Page{status, view.Lang, view.Title, template.HTML(buf.String())}) //nolint:gosec // our own template has made it
}
