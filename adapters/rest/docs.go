package rest

import (
	"embed"
	"fmt"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/httpx"
)

func (h *Handler) documentOperations() feature {
	return feature{raw: map[string]gin.HandlerFunc{"getDocument": h.getDocument, "getDocs": h.getDocs, "getDocsFile": h.getDocsFile}}
}

// docsFiles contains the page at /api/docs and the Swagger UI that it loads, as
// test/tools/swaggerui.sh fetches it.
//
//go:embed docs
var docsFiles embed.FS

// docsPolicy allows the page its own scripts and styles and requests to this server. The icons of Swagger UI are data: URLs.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// documents are the files of /api/docs, which are large and so loaded on first use, and the document.
type documents struct {
	docs     func() (map[string]httpx.StaticFile, error)
	document httpx.StaticFile
}

func newDocuments() documents {
	return documents{sync.OnceValues(loadDocs), httpx.NewStaticFile("openapi.yaml", documentText)}
}

const docsPage = "index.html"

// loadDocs loads the files by name.
func loadDocs() (map[string]httpx.StaticFile, error) {
	files, err := httpx.LoadStaticFiles(docsFiles, "docs")
	if err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	files[docsPage] = files[docsPage].WithPolicy(docsPolicy)
	return files, nil
}

// getDocs serves GET /api/docs.
func (h *Handler) getDocs(c *gin.Context) { h.writeDocs(c, docsPage) }

// getDocsFile serves GET /api/docs/:file.
func (h *Handler) getDocsFile(c *gin.Context) { h.writeDocs(c, c.Param("file")) }

func (h *Handler) writeDocs(c *gin.Context, name string) {
	docs, err := h.documents.docs()
	if err != nil {
		h.abortWithError(c, err)
		return
	}
	file, ok := docs[name]
	if !ok {
		h.abortWithError(c, errNoRoute)
		return
	}
	file.ServeHTTP(c.Writer, c.Request)
}

// getDocument serves GET /api/openapi.yaml.
func (h *Handler) getDocument(c *gin.Context) { h.documents.document.ServeHTTP(c.Writer, c.Request) }
