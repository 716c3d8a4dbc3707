package mailer

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"io/fs"
	"maps"
	"slices"
	"strings"
	texttemplate "text/template"
	"time"

	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/user"
)

//go:embed templates
var embedded embed.FS

// ErrTemplate is a template of an operator that cannot replace a built-in one.
var ErrTemplate = errors.New("bad mail template")

// The files that belong to no kind of message.
const (
	layoutFile = "layout.html.tmpl"
	commonFile = "common.tmpl"
)

// codeMark and linkMark stand for the code and the link until the mail is composed.
// Parameters cannot contain them, because cleanParam removes control characters.
const (
	codeMark = "\x00code"
	linkMark = "\x00link "
)

// Identity is how the service presents itself in its mails.
type Identity struct {
	Name    string         // of the service
	Support string         // the address for questions, "" for none
	Zone    *time.Location // of the times in mails; nil: UTC
}

// Templates are the words of all mails, in every language.
type Templates struct {
	identity   Identity
	layout     *htmltemplate.Template
	byLanguage map[user.Lang]*texttemplate.Template
}

// TemplateFiles returns the built-in templates by their names, such as
// en/verification.tmpl.
func TemplateFiles() map[string]string {
	files := map[string]string{}
	for _, pattern := range []string{"templates/*.tmpl", "templates/*/*.tmpl"} {
		paths, _ := fs.Glob(embedded, pattern) // the patterns are well formed
		for _, path := range paths {
			text, err := embedded.ReadFile(path)
			if err != nil {
				panic(err) // never: the file is part of the program
			}
			files[strings.TrimPrefix(path, "templates/")] = string(text)
		}
	}
	return files
}

// NewTemplates parses the built-in templates, each replaced by the one with the same name in
// replaced, if any. The error is an ErrTemplate that names the file: there is no built-in
// template with its name, it does not parse, it uses a field that messages do not have, or its
// mail lacks the subject, the code or the link of the built-in one.
func NewTemplates(identity Identity, replaced map[string]string) (*Templates, error) {
	files := TemplateFiles()
	builtIn, err := parse(identity, files)
	if err != nil || len(replaced) == 0 {
		return builtIn, err
	}
	for _, name := range slices.Sorted(maps.Keys(replaced)) {
		if _, ok := files[name]; !ok {
			return nil, fmt.Errorf("%w: %s is not the name of a template such as en/verification.tmpl", ErrTemplate, name)
		}
		files[name] = replaced[name]
	}
	t, err := parse(identity, files)
	if err != nil {
		return nil, err
	}
	return t, t.checkAgainst(builtIn)
}

func parse(identity Identity, files map[string]string) (*Templates, error) {
	t := &Templates{identity: identity, byLanguage: map[user.Lang]*texttemplate.Template{}}
	var err error
	if t.layout, err = htmltemplate.New(layoutFile).Parse(files[layoutFile]); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTemplate, err)
	}
	builtIn := TemplateFiles()
	for lang := range languages {
		phrases := texttemplate.New("").Funcs(texttemplate.FuncMap{
			"money":   formatMoney(lang),
			"when":    formatTime(locale.Format{Lang: lang, Zone: identity.Zone}),
			"code":    func() string { return codeMark },
			"link":    func(label string) string { return linkMark + label },
			"service": func() string { return identity.Name },
			"support": func() string { return identity.Support },
		})
		// A replaced file of phrases may define only some of them.
		t.byLanguage[lang] = texttemplate.Must(phrases.Parse(builtIn[string(lang)+"/"+commonFile]))
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		folder, _, ok := strings.Cut(name, "/")
		if !ok {
			continue
		}
		if _, err := t.byLanguage[user.Lang(folder)].New(name).Parse(files[name]); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrTemplate, err)
		}
	}
	return t, nil
}

// language returns the language of a mail: English where there are no templates in the
// reader's.
func (t *Templates) language(wanted user.Lang) user.Lang {
	if t.byLanguage[wanted] == nil {
		return user.EN
	}
	return cmp.Or(wanted, user.EN)
}
