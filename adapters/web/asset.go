package web

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
)

// assets has the static files by their URL paths.
type assets map[string]httpx.StaticFile

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

func (a assets) add(name string, body []byte) { a[name] = httpx.NewStaticFile(name, body) }

// path returns the URL path of a file. It changes with the content, so that browsers can
// cache the file for ever.
func (a assets) path(name string) (string, error) {
	file, ok := a["/static/"+name]
	if !ok {
		return "", fmt.Errorf("web: no static file is named %q", name)
	}
	return "/static/" + name + "?v=" + file.Version(), nil
}

// StaticFiles serves the static files.
func (p *Pages) StaticFiles() (f Feature) {
	f.Crawled = []string{"/static/"}
	for name, a := range p.assets {
		f.Routes = append(f.Routes, File(name, Anonymous(a.ServeHTTP)))
	}
	return f
}
