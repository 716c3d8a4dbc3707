package markdown

import (
	"bytes"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// Shown is a page for the layout that all pages of the program share.
type Shown struct {
	Status int
	Lang   user.Lang
	Title  string
	Main   template.HTML
}

// Site serves the pages below Base, with their pictures.
type Site struct {
	Library *Library
	Base    string // such as /docs; the index is there
	Show    func(http.ResponseWriter, *http.Request, Shown)
	Missing http.Handler // answers what does not exist
	Failed  func(*http.Request, error)
}

// ServeHTTP implements http.Handler.
func (s Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.Trim(strings.TrimPrefix(r.URL.Path, s.Base), "/")
	if isPicture(name) {
		s.servePicture(w, r, name)
		return
	}
	if words := r.URL.Query().Get("q"); name == "" && words != "" {
		s.Show(w, r, Shown{http.StatusOK, user.EN, "Search", s.Library.results(words, s.Base)})
		return
	}
	if name == "" {
		name = Index
	}
	page, ok := s.Library.pages[name]
	if !ok {
		s.Missing.ServeHTTP(w, r)
		return
	}
	main, err := s.Library.html(page, addressBelow(s.Base))
	if err != nil {
		s.Failed(r, err)
		http.Error(w, "This page cannot be shown.", http.StatusInternalServerError)
		return
	}
	s.Show(w, r, Shown{http.StatusOK, user.EN, page.Title, main})
}

func (s Site) servePicture(w http.ResponseWriter, r *http.Request, name string) {
	picture, err := fs.ReadFile(s.Library.files, path.Join(folder, name))
	if err != nil {
		s.Missing.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Content-Type", pictures[path.Ext(name)])
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(picture))
}
