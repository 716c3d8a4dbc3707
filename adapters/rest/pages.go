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
	"github.com/octavo-books/octavo/domain/user"
)

//go:embed templates
var files embed.FS

// Page is a page for people without its frame.
type Page struct {
	Status int
	Lang   user.Lang
	Title  string
	Style  string // address of a style sheet besides that of all pages; "" is none
	Main   template.HTML
}

// Frame shows a page in what all pages have in common: the head, the header and
// the style sheet.
type Frame func(http.ResponseWriter, *http.Request, Page)

// staticPolicy is the content policy of files that are not pages.
const staticPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"

// pages are parsed when the program starts. The one about the API takes a while
// to write and is written when it is first asked for.
type pages struct {
	confirm         *template.Template
	docs            func() (template.HTML, error)
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
		docs:     sync.OnceValues(func() (template.HTML, error) { return renderDocs(docs, d) }),
		style:    newStatic("text/css; charset=utf-8", style),
		document: newStatic("application/yaml; charset=utf-8", documentText),
	}, nil
}

func (s static) write(c *gin.Context) {
	h := c.Writer.Header()
	h.Set("Content-Security-Policy", staticPolicy)
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
	main, err := e.pages.docs()
	if err != nil {
		e.refuse(c, err)
		return
	}
	e.Frame(c.Writer, c.Request, Page{http.StatusOK, user.EN, e.document.Title, "/api/docs/style.css", main})
}

// getDocsStyle serves GET /api/docs/style.css.
func (e *Edge) getDocsStyle(c *gin.Context) { e.pages.style.write(c) }

// page writes a page that is made for one request.
func (e *Edge) page(c *gin.Context, status int, t *template.Template, view confirmView) {
	var buf bytes.Buffer
	if err := t.Execute(&buf, view); err != nil {
		e.refuse(c, err)
		return
	}
	c.Header("X-Robots-Tag", "noindex")
	e.Frame(c.Writer, c.Request, Page{status, view.Lang, view.Title, "", template.HTML(buf.String())}) //nolint:gosec // our own template has made it
}
