package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// worded lists the fields and functions whose texts people read.
var worded = []string{"Label", "Hint", "Head", "Text", "Button", "Translate", "Show", "RenderMessage", "RenderError", "count", "amount", "InMenu", "say"}

// texts returns the translations of all texts, by their keys.
func (c catalogue) texts() map[string][]string {
	texts := map[string][]string{}
	for key, po := range c {
		translation := po.GetDomain().GetTranslations()[key]
		if context, id, ok := strings.Cut(key, contextMark); ok {
			translation = po.GetDomain().GetCtxTranslations()[context][id]
		}
		for _, text := range translation.Trs {
			texts[key] = append(texts[key], text)
		}
	}
	return texts
}

// sentences returns all English texts in the templates and the package.
func sentences(t *testing.T) []string {
	t.Helper()
	var all []string
	templates, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	components, err := fs.Glob(files, "templates/components/*.html")
	if err != nil || len(components) < 15 {
		t.Fatal(components, err)
	}
	for _, f := range append(templates, components...) {
		text, err := files.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`\bt "([^"]+)"|newButton "[^"]+" \S+ "([^"]+)"|plural [^"]+ "([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
			all = append(all, found[1]+found[2]+found[3])
		}
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	ofRooms, err := filepath.Glob("*/*.go")
	if err != nil || len(ofRooms) < 40 {
		t.Fatal(ofRooms, err)
	}
	for _, name := range append(sources, ofRooms...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			all = append(all, read(n)...)
			return true
		})
	}
	return all
}

// read returns the texts in a syntax node.
func read(n ast.Node) (texts []string) {
	var named ast.Node
	var values []ast.Expr
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		named, values = n.Key, []ast.Expr{n.Value}
		if flashes, ok := n.Value.(*ast.CompositeLit); ok && isNamed(n.Key, "Flashes") {
			for _, one := range flashes.Elts {
				if one, ok := one.(*ast.KeyValueExpr); ok {
					texts = append(texts, textsIn(one.Value)...)
				}
			}
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if i < len(n.Values) && strings.HasSuffix(name.Name, "Hint") {
				texts = append(texts, textsIn(n.Values[i])...)
			}
		}
	case *ast.CallExpr:
		named, values = n.Fun, n.Args
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			if s, ok := to.(*ast.SelectorExpr); ok && i < len(n.Rhs) && slices.Contains(worded, s.Sel.Name) {
				values = append(values, n.Rhs[i])
			}
		}
	}
	name := ""
	switch f := named.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	if named != nil && !slices.Contains(worded, name) {
		return texts
	}
	if name == "Show" && len(values) > 4 {
		values = values[4:] // the title follows the name of the template
	}
	return append(texts, textsIn(values...)...)
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// textsIn returns the literal texts among values, without paths.
func textsIn(values ...ast.Expr) (texts []string) {
	for _, v := range values {
		if s, ok := v.(*ast.BasicLit); ok && s.Kind == token.STRING {
			if text, _ := strconv.Unquote(s.Value); text != "" && !strings.HasPrefix(text, "/") {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

func TestEveryTextHasAFrenchTranslation(t *testing.T) {
	all := append(sentences(t), notANumber)
	all = append(all, reasons...)
	for _, c := range book.Conditions() {
		all = append(all, c.String(), c.Meaning())
	}
	if len(all) < 200 {
		t.Fatalf("only %d texts were found", len(all))
	}
	french := Catalogues[user.FR].texts()
	for _, sentence := range all {
		if len(french[sentence]) == 0 {
			t.Errorf("%q is English only", sentence)
		}
		for _, text := range french[sentence] {
			if text == "" || strings.Count(sentence, "%") != strings.Count(text, "%") {
				t.Errorf("%q and its translation %q have different numbers of parameters", sentence, text)
			}
		}
	}
}

func TestFieldErrorsHaveAFrenchTranslation(t *testing.T) {
	_, draft := book.Draft{ISBN: "1", Comments: strings.Repeat("x", 3000), Price: -1}.Check(money.Currency{}, time.Now())
	low, none := 0, money.Amount(0)
	_, want := book.RequestDraft{Edition: &low, MaxPrice: &none, ISBN: "1"}.Check(money.Currency{})
	_, profile := user.Profile{FirstName: "\x00"}.Clean()
	_, email := user.ParseEmail("x")
	refusals := []error{draft, want, profile, email}
	for _, password := range []string{"short", "\x00 is a long password", "password", "ada@campus.edu"} {
		_, err := user.NewPassword(password, "ada@campus.edu")
		refusals = append(refusals, err)
	}
	for _, err := range refusals {
		f := fault.As(err)
		if f == nil {
			t.Fatalf("%v is not a fault", err)
		}
		if _, ok := Catalogues[user.FR].Lookup("error", f.Code); !ok {
			t.Errorf("the error %q is English only", f.Code)
		}
		for field, why := range f.Fields {
			if translateReason(user.FR, why) == why {
				t.Errorf("%s: %q is English only", field, why)
			}
		}
	}
}

func TestNotificationsAreInTheLanguageOfTheirReader(t *testing.T) {
	kinds := 0
	for key := range Catalogues[user.FR] {
		id, ok := strings.CutPrefix(key, "notification"+contextMark)
		if !ok {
			continue
		}
		kinds++
		kind := notification.Kind(id)
		n := notification.Notification{Kind: kind, Message: "“A ”title“ %s” is here."}
		if french := NotificationText(user.FR, n); french == n.Message || kind != notification.Welcome && !strings.Contains(french, "«\u00a0A ”title“ %s\u00a0»") {
			t.Errorf("%s: %s", kind, french)
		}
		if NotificationText(user.EN, n) != n.Message {
			t.Errorf("the English text of %s was changed", kind)
		}
	}
	if got := NotificationText(user.FR, notification.AboutHidden(1, 2, "Algèbre", time.Time{})); !strings.Contains(got, "«\u00a0Algèbre\u00a0»") || !strings.Contains(got, "attend") {
		t.Errorf("a book that reports have hidden: %s", got)
	}
	if want := len(notification.Kinds()) + 1; kinds != want { // and the books that reports have hidden
		t.Errorf("%d kinds have a French text, want %d", kinds, want)
	}
}

func TestALineOfAFrenchPageNeverBeginsWithPunctuation(t *testing.T) {
	breakable := regexp.MustCompile(` [:;?!»$]|« `)
	for _, texts := range Catalogues[user.FR].texts() {
		for _, french := range texts {
			if breakable.MatchString(french) {
				t.Errorf("%q needs a no-break space", french)
			}
		}
	}
}
