package web

import (
	"bytes"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/user"
	"golang.org/x/text/language"
)

//go:embed templates/*.html templates/components/*.html static
var files embed.FS

// policy is the content security policy of every page: only our own style sheet,
// scripts, images and forms, and nothing inline.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; manifest-src 'self'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"

// policyOf returns the policy of a page. The form of one may lead to another site, or its image come from there.
func policyOf(page any) string {
	allowed := policy
	if leads, ok := page.(interface{ FormTarget() string }); ok {
		allowed = strings.Replace(allowed, "form-action 'self'", "form-action 'self' "+leads.FormTarget(), 1)
	}
	if shows, ok := page.(interface{ ImageSource() string }); ok {
		allowed = strings.Replace(allowed, "img-src 'self'", strings.TrimSuffix("img-src 'self' "+shows.ImageSource(), " "), 1)
	}
	if loads, ok := page.(interface{ FrameSources() string }); ok {
		allowed = strings.Replace(allowed, "frame-src 'self'", "frame-src "+loads.FrameSources(), 1)
	}
	return allowed
}

// templates maps page names to templates. A template is parsed on first use: all
// pages in all languages would take half the memory of an idle server, and most are
// never requested.
type templates map[string]func() (*template.Template, error)

// sharedTemplates are the templates that all pages may use: a file for each component, which /dev/components shows, and what is
// no component. Every other file in templates is a page.
var sharedTemplates = []string{
	"templates/layout.html", "templates/dashboardparts.html", "templates/icons.html", "templates/parts.html", "templates/components/*.html",
}

// pageTemplates returns the files of all pages by their names.
func pageTemplates() map[string]string {
	all, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err) // the pattern is wrong
	}
	byName := map[string]string{}
	for _, file := range all {
		if !slices.Contains(sharedTemplates, file) {
			byName[strings.TrimSuffix(path.Base(file), ".html")] = file
		}
	}
	return byName
}

// templatesIn returns the templates of a language. Their function t translates.
func (p *Pages) templatesIn(f locale.Format) templates {
	lang, t := f.Lang, templates{}
	funcs := template.FuncMap{
		"reason":    func(english string) string { return translateReason(lang, english) },
		"asset":     p.assets.path,
		"t":         func(english string, args ...any) string { return Translate(lang, english, args...) },
		"plural":    func(n int, one, many string) string { return plural(lang, n, one, many) },
		"money":     f.Money,
		"plain":     f.Currency.Format,
		"sign":      f.Sign,
		"date":      f.Date,
		"day":       f.Day,
		"minute":    f.Minute,
		"when":      func(at time.Time) string { return p.when(f, at) },
		"number":    f.Number,
		"decimal":   f.Decimal,
		"handover":  p.Handover,
		"direct":    p.PaysDirectly,
		"support":   func() string { return p.Support },
		"facts":     func(b market.BookView) *BookFacts { return FactsOf(f, b) },
		"copies":    func(n market.Count) string { return CopiesIn(lang, n) },
		"options":   optionsOf,
		"photoPath": photoPath,
		"photoSet":  photoSet,
		"course":    book.CourseLabel,
		"address":   breakable,
		"inc":       func(n int) int { return n + 1 },
		"newButton": func(path, id, label, what, back string) button { return button{path, id, label, what, back} },
	}
	for name, file := range pageTemplates() {
		t[name] = sync.OnceValues(func() (*template.Template, error) {
			return template.New("layout.html").Funcs(funcs).ParseFS(files, append(slices.Clone(sharedTemplates), file)...)
		})
	}
	return t
}

// button is a form with a single button. Path is its target, ID and What identify
// and name its object, and Back is the page to return to.
type button struct{ Path, ID, Label, What, Back string }

// Stay reports whether the answer is the page with the button.
func (b button) Stay() bool { return b.Back != "" }

// PageData is the input of every page.
type PageData struct {
	Lang  user.Lang
	Title string
	Page  any
}

// layoutData is the input of the layout: the page and its viewer.
type layoutData struct {
	Lang         user.Lang
	Title        string
	Page         any
	Service      string // the name of the service
	Support      string // the address for questions; "" for none
	Texts        []textLink
	Accounts     bool // people can sign in here
	Market, Open bool // the marketplace is served; anybody may sign up
	Viewer       user.Caller
	Admin, Owner bool
	Unread       int // notifications
	InCart       int // books
	Messages     int // unread
	Path, Flash  string
	// Application is the name of the application to which the viewer signs in; "" otherwise. Its pages
	// lead nowhere else.
	Application string
	Here        string // the path and query to which the language switch returns
	Languages   []languageName
	Dashboard   bool // this is a dashboard page
	Sections    []menuSection
	Waiting     Waiting
	LocalTimes  bool // the campus has no time zone: a script shows times in that of the reader
}

// Show renders a page with an English title in the language of its reader.
func (p *Pages) Show(w http.ResponseWriter, r *http.Request, status int, name, title string, v any) error {
	lang := LangOf(r)
	p.Render(w, r, status, name, PageData{lang, Translate(lang, title), v})
	return nil
}

// Render writes a page. It executes the whole template before it sends anything,
// so that an error cannot cut a page short.
func (p *Pages) Render(w http.ResponseWriter, r *http.Request, status int, name string, f PageData) {
	if status >= http.StatusBadRequest && name != "message" && name != "embedded" {
		f.Title = Translate(f.Lang, "Error: %s", f.Title) // a form has errors: a screen reader says so first
	}
	var b bytes.Buffer
	layout := p.layoutFor(r, f)
	layout.Flash = p.takeFlash(w, r, f.Lang)
	page, err := p.templates[f.Lang][name]()
	if err == nil {
		err = page.Execute(&b, layout)
	}
	if err != nil {
		p.Log.ErrorContext(r.Context(), "cannot render a page", "page", name, "error", err)
		http.Error(w, httpx.PublicMessage(err), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policyOf(f.Page))
	h.Set("Referrer-Policy", "same-origin") // URLs contain tokens, so other sites must not see them; "no-referrer" would send forms with Origin: null
	h.Add("Vary", "Accept-Language")
	if p.limitCaching(h, r, status, layout); isShared(h) {
		h.Set("ETag", httpx.WeakETag(b.Bytes()))
		if httpx.IsCurrent(r, h.Get("ETag")) {
			status = http.StatusNotModified
			b.Reset()
		}
	}
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// takeFlash returns the message that the last form has set for this page.
func (p *Pages) takeFlash(w http.ResponseWriter, r *http.Request, lang user.Lang) string {
	name, about, _ := strings.Cut(p.Cookies.TakeFlash(w, r), aboutMark)
	message, ok := p.flashes[name]
	if !ok {
		return ""
	}
	text := Translate(lang, message)
	if title := p.flashTitle(r, about); title != "" {
		return Quoted(lang, title) + " – " + text
	}
	return text
}

func (p *Pages) layoutFor(r *http.Request, f PageData) layoutData {
	by := ViewerOf(r).By
	s := layoutData{
		Lang: f.Lang, Title: f.Title, Page: f.Page, Service: p.Service, Support: p.Support, Texts: p.textLinks(), Accounts: p.Identity != nil, Market: p.Market != nil, Viewer: by, Admin: by.Role >= user.Admin, Owner: by.Role >= user.Owner,
		Path: r.URL.Path, Here: pageToReturnTo(r), Languages: languageNames, Dashboard: strings.HasPrefix(r.URL.Path, "/dashboard"),
	}
	if s.Dashboard && s.Admin {
		s.Waiting = p.waitingOn(r, by, f.Page)
		s.Sections = p.sectionsOf(by, r.URL.Path, s.Waiting)
	}
	s.LocalTimes = p.Zone == nil || p.Zone == time.UTC
	s.Application = p.ApplicationOf(r, f.Page)
	s.Open = s.Accounts && p.Identity.Accounts.Open()
	if s.Market && by.Student {
		n, err := p.Market.Notifications.CountUnread(r.Context(), by)
		if err != nil { // show the page without the number
			p.LogFailure(r, "count notifications", err)
		}
		s.Unread = n
		if s.InCart, err = p.Market.Carts.Count(r.Context(), by); err != nil {
			p.LogFailure(r, "count the books in the cart", err)
		}
		if s.Messages, err = p.Market.Conversations.CountUnread(r.Context(), by); err != nil {
			p.LogFailure(r, "count messages", err)
		}
	}
	return s
}

// LogFailure logs errors that neither the viewer nor a missing dependency has caused.
func (p *Pages) LogFailure(r *http.Request, doing string, err error) {
	if httpx.Status(err) >= http.StatusInternalServerError && fault.KindOf(err) != fault.Unavailable {
		p.Log.ErrorContext(r.Context(), "a page failed", "doing", doing, "error", err)
	}
}

var (
	languages = []user.Lang{user.EN, user.FR}
	matcher   = language.NewMatcher([]language.Tag{language.English, language.French})
)

// LangOf returns the language that the reader chose, or else the supported one that the
// browser prefers.
func LangOf(r *http.Request) user.Lang {
	if chosen := user.Lang(httpx.Lang(r)); slices.Contains(languages, chosen) {
		return chosen
	}
	_, i := language.MatchStrings(matcher, r.Header.Get("Accept-Language"))
	return languages[i]
}

// PageOf reads the cursor of a list.
func PageOf(r *http.Request) market.Page {
	return market.Page{Cursor: market.Cursor(r.URL.Query().Get("cursor"))}
}
