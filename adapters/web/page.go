package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"path"

	"github.com/octavo-books/octavo/adapters/httpkit"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
	"golang.org/x/text/language"
)

//go:embed templates/*.html static/*
var files embed.FS

// policy is the content policy of every page: our own style sheet, our own
// pictures and our own forms, nothing else and nothing inline.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"

// templates holds one template for each page.
type templates map[string]*template.Template

func parse() (templates, error) {
	t := templates{}
	for _, name := range []string{"front", "mails", "notice", "form"} {
		page, err := template.New("layout.html").Funcs(template.FuncMap{"asset": assetPath}).
			ParseFS(files, "templates/layout.html", "templates/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("web: %w", err)
		}
		t[name] = page
	}
	return t, nil
}

// asset is a file that is the same for everybody.
type asset struct {
	mediaType string
	body      []byte
}

var mediaTypes = map[string]string{".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

func loadAssets() (map[string]asset, error) {
	entries, err := files.ReadDir("static")
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	assets := make(map[string]asset, len(entries))
	for _, e := range entries {
		body, err := files.ReadFile("static/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("web: %w", err)
		}
		assets["/static/"+e.Name()] = asset{mediaTypes[path.Ext(e.Name())], body}
	}
	return assets, nil
}

// assetPath is where pages find a file. It changes with the content, so that
// browsers may keep the file for ever.
func assetPath(name string) (string, error) {
	body, err := files.ReadFile("static/" + name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(body)
	return "/static/" + name + "?v=" + base64.RawURLEncoding.EncodeToString(sum[:6]), nil
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	keep := "no-cache"
	if r.URL.Query().Has("v") {
		keep = "public, max-age=31536000, immutable"
	}
	w.Header().Set("Cache-Control", keep)
	w.Header().Set("Content-Type", a.mediaType)
	_, _ = w.Write(a.body)
}

// frame is what every page has.
type frame struct {
	Lang  user.Lang
	Title string
	Page  any
}

// show writes a page. Nothing is sent before all of it is made.
func (p *Pages) show(w http.ResponseWriter, r *http.Request, status int, name string, f frame) {
	var b bytes.Buffer
	if err := p.templates[name].Execute(&b, f); err != nil {
		p.Log.ErrorContext(r.Context(), "make a page", "page", name, "error", err)
		http.Error(w, httpkit.Sentence(err), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer") // addresses of pages hold tokens
	h.Add("Vary", "Accept-Language")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// log tells operators of what is not the visitor's fault.
func (p *Pages) log(r *http.Request, doing string, err error) {
	if httpkit.Status(err) >= http.StatusInternalServerError && fault.KindOf(err) != fault.Unavailable {
		p.Log.ErrorContext(r.Context(), "a page failed", "doing", doing, "error", err)
	}
}

var (
	languages = []user.Lang{user.EN, user.FR}
	matcher   = language.NewMatcher([]language.Tag{language.English, language.French})
)

// langOf is the language of ours that the browser likes best.
func langOf(r *http.Request) user.Lang {
	_, i := language.MatchStrings(matcher, r.Header.Get("Accept-Language"))
	return languages[i]
}
