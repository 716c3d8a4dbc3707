package inspector

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/httpx/theme"
	"github.com/octavo-books/octavo/domain/text"
)

//go:embed templates/*.html static/*
var files embed.FS

// policy is the content security policy of every page: only our own files and forms, and
// nothing inline. connect-src is for the script that updates the list.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

type templates map[string]*template.Template

var pageNames = []string{"list", "delivery", "rules", "signin", "message"}

func loadTemplates(assets map[string]httpx.StaticFile) (templates, error) {
	t := templates{}
	funcs := template.FuncMap{
		"asset":   func(name string) string { return staticPath + name + "?v=" + assets[name].Version() },
		"visible": text.Visible,
		"number":  number,
		"count":   func(n int, one, many string) string { return number(n) + " " + plural(n, one, many) },
		"second":  func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
		"rfc3339": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	}
	for _, name := range pageNames {
		page, err := template.New("layout.html").Funcs(funcs).ParseFS(files, "templates/layout.html", "templates/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("inspector: %w", err)
		}
		t[name] = page
	}
	return t, nil
}

// number formats with thousands separators.
func number(n int) string {
	s := fmt.Sprint(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// layout is the input of every template.
type layout struct {
	Title, Name, Home string
	Viewer            viewer
	Page              any
}

// render writes a page. It executes the whole template before it sends anything, so that an
// error cannot cut a page short.
func (p *Pages) render(w http.ResponseWriter, r *http.Request, status int, name, title string, v viewer, page any) {
	var b bytes.Buffer
	if err := p.templates[name].Execute(&b, layout{title, name, p.Home, v, page}); err != nil {
		p.Log.ErrorContext(r.Context(), "cannot render a page", "page", name, "error", err)
		http.Error(w, httpx.PublicMessage(err), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // "no-referrer" would send forms with Origin: null
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// messageView is a heading and a text; Back offers the list.
type messageView struct {
	Head, Text string
	Back       bool
}

// message shows a message to anybody.
func (p *Pages) message(w http.ResponseWriter, r *http.Request, status int, m messageView) {
	p.render(w, r, status, "message", m.Head, viewer{}, m)
}

// loadAssets reads the static files. The style sheet begins with the variables of all pages.
func loadAssets(accent string) (map[string]httpx.StaticFile, error) {
	style, err := theme.CSS(accent)
	if err != nil {
		return nil, fmt.Errorf("inspector: %w", err)
	}
	own, err := files.ReadFile("static/" + styleSheet)
	if err != nil {
		return nil, fmt.Errorf("inspector: %w", err)
	}
	assets, err := httpx.LoadStaticFiles(files, "static")
	if err != nil {
		return nil, fmt.Errorf("inspector: %w", err)
	}
	assets[styleSheet] = httpx.NewStaticFile(styleSheet, slices.Concat(style, own))
	return assets, nil
}

const styleSheet = "inspector.css"

// static serves the style sheet, the script and the icon to anybody.
func (p *Pages) static(w http.ResponseWriter, r *http.Request) {
	file, ok := p.assets[strings.TrimPrefix(r.URL.Path, staticPath)]
	if !ok {
		p.notFound(w, r)
		return
	}
	file.ServeHTTP(w, r)
}
