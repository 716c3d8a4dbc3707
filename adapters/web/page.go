package web

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"golang.org/x/text/language"
)

//go:embed templates/*.html static/*
var files embed.FS

// policy is the content policy of every page: our own style sheet, our own
// pictures and our own forms, nothing else and nothing inline.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"

// templates hold one template for each page. It is read when the page is first
// shown: all of them, in all languages, are half the memory of an idle server, and
// most are never asked for.
type templates map[string]func() (*template.Template, error)

var pageNames = []string{
	"front", "mails", "notice", "form", "account", "copy", "mine", "trades", "wanted", "cart", "notices",
	"dashboard", "shelf", "orders", "step", "people", "tidy", "trail", "foreign",
}

// templatesIn are those of a language: t in them translates.
func templatesIn(lang user.Lang) templates {
	t := templates{}
	funcs := template.FuncMap{
		"asset":   assetPath,
		"t":       func(english string, args ...any) string { return say(lang, english, args...) },
		"counted": func(n int, one, many string) string { return counted(lang, n, one, many) },
		"money":   func(c money.Cents) string { return dollars(lang, c) },
		"number":  func(n int) string { return number(lang, n) },
		"tenths":  func(n float64) string { return tenths(lang, n) },
		"press":   func(path, id, label, what, back string) button { return button{path, id, label, what, back} },
	}
	for _, name := range pageNames {
		t[name] = sync.OnceValues(func() (*template.Template, error) {
			return template.New("layout.html").Funcs(funcs).
				ParseFS(files, "templates/layout.html", "templates/parts.html", "templates/"+name+".html")
		})
	}
	return t
}

// button is a form that is one button: what it does to the thing with an id, what
// that thing is called, and where to go back to.
type button struct{ Path, ID, Label, What, Back string }

// frame is what every page has.
type frame struct {
	Lang  user.Lang
	Title string
	Page  any
}

// shownFrame is a frame with who looks at it.
type shownFrame struct {
	frame
	Market, Open bool // the marketplace is here, and who likes may sign up
	Visitor      user.Caller
	Admin, Owner bool
	Unread       int
	Path, Notice string
	Dashboard    bool // one of its pages
}

// show writes a page. Nothing is sent before all of it is made.
func (p *Pages) show(w http.ResponseWriter, r *http.Request, status int, name string, f frame) {
	var b bytes.Buffer
	framed := p.framed(r, f)
	framed.Notice = p.takeNotice(w, r, f.Lang)
	page, err := p.templates[f.Lang][name]()
	if err == nil {
		err = page.Execute(&b, framed)
	}
	if err != nil {
		p.Log.ErrorContext(r.Context(), "make a page", "page", name, "error", err)
		http.Error(w, httpx.PublicMessage(err), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin") // addresses of pages hold tokens; without any, browsers send forms from nowhere
	h.Add("Vary", "Accept-Language")
	if h.Get("Cache-Control") == "" || visitorOf(r).by.SignedIn() || framed.Notice != "" {
		h.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// takeNotice is the sentence that the last form has left for this page.
func (p *Pages) takeNotice(w http.ResponseWriter, r *http.Request, lang user.Lang) string {
	sentence, ok := noticeSentences[p.Cookies.TakeFlash(w, r)]
	if !ok {
		return ""
	}
	return say(lang, sentence)
}

func (p *Pages) framed(r *http.Request, f frame) shownFrame {
	by := visitorOf(r).by
	s := shownFrame{
		frame: f, Market: p.Market != nil, Visitor: by, Admin: by.Role >= user.Admin, Owner: by.Role >= user.Owner,
		Path: r.URL.Path, Dashboard: strings.HasPrefix(r.URL.Path, "/dashboard"),
	}
	s.Open = s.Market && p.Market.Accounts.Open()
	if s.Market && by.Student {
		n, err := p.Market.Notifications.CountUnread(r.Context(), by)
		if err != nil { // the page is worth more than the number
			p.log(r, "count notifications", err)
		}
		s.Unread = n
	}
	return s
}

// log tells operators of what is not the visitor's fault.
func (p *Pages) log(r *http.Request, doing string, err error) {
	if httpx.Status(err) >= http.StatusInternalServerError && fault.KindOf(err) != fault.Unavailable {
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
