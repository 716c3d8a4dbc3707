package graph

import (
	"embed"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/octavo-books/octavo/adapters/httpx"
)

// ExplorerPath is the folder of the files that the page of development loads.
const ExplorerPath = "/graphql/explorer/"

// explorerFiles contains the page and the GraphiQL that it loads, as test/tools/graphiql.sh
// fetches it.
//
//go:embed explorer
var explorerFiles embed.FS

// explorerPolicy allows the page its own scripts and styles and requests to this server.
// Icons of GraphiQL are data: URLs. Its dialogs add one style element, which has this hash.
const explorerPolicy = "default-src 'none'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"style-src 'self' 'sha256-nzTgYzXYDNe6BAHiiI7NNlfK8n/auuOAhh2t92YvuXo='; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const explorerPage = "index.html"

// explorer is the page to try operations, and its files.
type explorer struct {
	// files is called on the first request, because the files are large.
	files func() (map[string]httpx.StaticFile, error)
}

func newExplorer() *explorer { return &explorer{sync.OnceValues(loadExplorer)} }

func loadExplorer() (map[string]httpx.StaticFile, error) {
	files, err := httpx.LoadStaticFiles(explorerFiles, "explorer")
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	files[explorerPage] = files[explorerPage].WithPolicy(explorerPolicy)
	return files, nil
}

// serve answers GET of the page at /graphql and of the files below ExplorerPath.
func (e *explorer) serve(w http.ResponseWriter, r *http.Request) error {
	name, ofPage := strings.CutPrefix(r.URL.Path, ExplorerPath)
	if !ofPage {
		name = explorerPage
	}
	files, err := e.files()
	if err != nil {
		return err
	}
	file, ok := files[name]
	if !ok {
		return errNoFile
	}
	file.ServeHTTP(w, r)
	return nil
}
