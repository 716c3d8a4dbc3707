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

	"github.com/octavo-books/octavo/adapters/rest/openapi"
)

//go:embed templates
var files embed.FS

// pagePolicy is the content policy of every page here: our own style sheet and
// our own forms, nothing else.
const pagePolicy = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// pages are parsed when the program starts. The one about the API takes a while
// to write and is written when it is first asked for.
type pages struct {
	confirm         *template.Template
	docs            func() (static, error)
	style, document static
}

// static is a file that is the same for everybody.
type static struct {
	mediaType string
	body      []byte
	etag      string
}

func newStatic(mediaType string, body []byte) static {
	sum := sha256.Sum256(body)
	return static{mediaType, body, `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}
}

func newPages(d *openapi.Document) (*pages, error) {
	confirm, err := template.ParseFS(files, "templates/confirm.html.tmpl")
	if err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	docs, err := parseDocs()
	if err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	style, err := files.ReadFile("templates/style.css")
	if err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	return &pages{
		confirm:  confirm,
		docs:     sync.OnceValues(func() (static, error) { return renderDocs(docs, d) }),
		style:    newStatic("text/css; charset=utf-8", style),
		document: newStatic("application/yaml; charset=utf-8", documentText),
	}, nil
}

func (s static) write(c *gin.Context) {
	h := c.Writer.Header()
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Cache-Control", "no-cache") // keep it, but ask each time
	h.Set("ETag", s.etag)
	if matches(c.GetHeader("If-None-Match"), s.etag) {
		c.Status(http.StatusNotModified)
		return
	}
	c.Data(http.StatusOK, s.mediaType, s.body)
}

// getDocument serves GET /api/openapi.yaml.
func (e *Edge) getDocument(c *gin.Context) { e.pages.document.write(c) }

// getDocs serves GET /api/docs.
func (e *Edge) getDocs(c *gin.Context) {
	page, err := e.pages.docs()
	if err != nil {
		e.refuse(c, err)
		return
	}
	page.write(c)
}

// getDocsStyle serves GET /api/docs/style.css.
func (e *Edge) getDocsStyle(c *gin.Context) { e.pages.style.write(c) }

// page writes a page that is made for one request.
func (e *Edge) page(c *gin.Context, status int, t *template.Template, view any) {
	var buf bytes.Buffer
	if err := t.Execute(&buf, view); err != nil {
		e.refuse(c, err)
		return
	}
	h := c.Writer.Header()
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Referrer-Policy", "no-referrer")
	c.Data(status, "text/html; charset=utf-8", buf.Bytes())
}
