package web

import (
	"bytes"
	"embed"
	"errors"
	"io/fs"
	"net/http"
	texttemplate "text/template"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/retention"
	"github.com/octavo-books/octavo/domain/user"
)

//go:embed texts/*/*.md
var builtInTexts embed.FS

// TextNames are the names of the texts that an operator may replace, which are also their
// paths, and what links call them.
var TextNames = []string{"help", "terms", "privacy", "accessibility"}

var textLabels = map[string]string{"help": "Help", "terms": "Terms", "privacy": "Privacy", "accessibility": "Accessibility"}

// AccountTextNames are the texts of a service without the marketplace.
var AccountTextNames = TextNames[1:]

// TextOptions are what the built-in texts say about a service.
type TextOptions struct {
	Service  string // its name
	Support  string // the address for questions; may be empty
	Market   bool   // false: the texts are about accounts alone
	Handover meeting.Mode
	Direct   bool // buyers pay sellers when they meet
	Kept     []retention.Record
}

// BuiltInText returns a text in Markdown.
func BuiltInText(name string, lang user.Lang, o TextOptions) ([]byte, error) {
	path := "texts/" + string(lang) + "/" + name
	source, err := builtInTexts.ReadFile(path + ".accounts.md")
	if o.Market || errors.Is(err, fs.ErrNotExist) {
		source, err = builtInTexts.ReadFile(path + ".md")
	}
	if err != nil {
		return nil, err
	}
	t, err := texttemplate.New(name).Funcs(texttemplate.FuncMap{
		"t": func(english string) string { return Translate(lang, english) },
	}).Parse(string(source))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, o)
	return b.Bytes(), err
}

// Text is a page that an operator may replace: a text of its own in each language, or another
// site's page.
type Text struct {
	URL    string // of a page on another site; empty for a text of our own
	InLang map[user.Lang]EmbeddedPage
}

// textLink is a link to a text in the footer.
type textLink struct{ Path, Label string }

// textLinks returns the links of the footer.
func (p *Pages) textLinks() []textLink {
	var links []textLink
	for _, name := range TextNames {
		if t, ok := p.Texts[name]; ok {
			link := textLink{"/" + name, textLabels[name]}
			if t.URL != "" {
				link.Path = t.URL
			}
			links = append(links, link)
		}
	}
	return links
}

// TextPages serves the texts, at the same paths wherever they are.
func (p *Pages) TextPages() (f Feature) {
	for _, name := range TextNames {
		t, ok := p.Texts[name]
		f.Crawled = append(f.Crawled, "/"+name+"$")
		switch {
		case !ok:
		case t.URL != "":
			f.Routes = append(f.Routes, File("/"+name, Anonymous(http.RedirectHandler(t.URL, http.StatusFound).ServeHTTP)))
		default:
			f.Routes = append(f.Routes, Get("/"+name, p.Unguarded(p.showText(name, t))))
		}
	}
	return f
}

func (p *Pages) showText(name string, t Text) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		lang := LangOf(r)
		page, ok := t.InLang[lang]
		if !ok {
			lang, page = user.EN, t.InLang[user.EN]
		}
		p.Share(w, "/"+name, []market.SurrogateKey{market.Everything})
		p.Render(w, r, http.StatusOK, "embedded", PageData{lang, page.Title, page})
	}
}
