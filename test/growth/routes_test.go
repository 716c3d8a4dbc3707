//go:build linux

package growth_test

import (
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/pages"
	"go.yaml.in/yaml/v3"
)

// request is a GET by somebody. Its target is a path with a query, and may have placeholders: see campus.values.
type request struct {
	name   string // the operation, or the path of the page
	role   string
	target string
}

func (r request) String() string { return r.target + " by " + r.role }

// url fills in what the placeholders stand for on a campus. A cursor is where the next page begins.
func (r request) url(c *campus) string {
	pairs := []string(nil)
	for name, value := range c.values {
		if of := c.values[r.role+" "+name]; of != "" {
			value = of
		}
		pairs = append(pairs, "{"+name+"}", url.PathEscape(value))
	}
	target, next := strings.CutSuffix(r.target, nextPage)
	at := c.server.URL + strings.NewReplacer(pairs...).Replace(target)
	if next {
		return c.next(request{r.name, r.role, target}, at)
	}
	return at
}

// nextPage at the end of a target stands for the page after the first.
const nextPage = "{next}"

// requests are the routes with each value of their parameters, by every role.
func (c *campus) requests(t *testing.T) (all []request) {
	t.Helper()
	for _, r := range append(operations(t), everyPage(t)...) {
		answered := false
		for _, target := range r.targets {
			for _, role := range roles {
				asked := request{r.name, role, target}
				if strings.HasSuffix(target, nextPage) && asked.url(c) == "" {
					continue // the list has one page
				}
				answered = c.ask(asked).answers(r.name) || answered
				all = append(all, asked)
			}
		}
		if !answered && !slices.Contains(answersNobody, r.name) {
			t.Errorf("%s answers nobody with 200: give its parameters values in values_test.go", r.name)
		}
	}
	return all
}

// answers reports whether a route does more than refuse. Some pages lead to another one, as those do that only accept forms, to the
// page that has the form.
func (a answer) answers(name string) bool {
	leads, to := a.status == http.StatusFound || a.status == http.StatusSeeOther, a.header.Get("Location")
	return a.status == http.StatusOK || leads && (to == path.Dir(name) || !strings.HasPrefix(to, "/login"))
}

// route is a route with the targets to ask.
type route struct {
	name    string
	targets []string
}

type parameter struct {
	Ref      string `yaml:"$ref"`
	Name, In string
	Required bool
	Schema   struct {
		Ref  string `yaml:"$ref"`
		Enum []string
	}
}

// operations reads the GET routes from the document of the API.
func operations(t *testing.T) (all []route) {
	t.Helper()
	text, err := os.ReadFile("../../adapters/rest/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]struct {
			Get *struct {
				ID         string `yaml:"operationId"`
				Parameters []parameter
			}
		}
		Components struct{ Parameters map[string]parameter }
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for at, methods := range document.Paths {
		if methods.Get == nil {
			continue
		}
		r := route{name: methods.Get.ID}
		of := make([]parameter, len(methods.Get.Parameters))
		for i, p := range methods.Get.Parameters {
			if of[i] = p; p.Ref != "" {
				of[i] = document.Components.Parameters[path.Base(p.Ref)]
			}
		}
		r.ask(t, at, of)
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b route) int { return strings.Compare(a.name, b.name) })
	return all
}

// ask adds a target with the first values of the required parameters, and one for each other value of
// each parameter.
func (r *route) ask(t *testing.T, at string, parameters []parameter) {
	t.Helper()
	usual := map[string]string{}
	for _, p := range parameters {
		if of := r.valuesOf(t, p); p.Required && len(of) > 0 {
			usual[p.Name] = of[0]
		}
	}
	r.add(target(at, parameters, usual))
	for _, p := range parameters {
		for _, value := range r.valuesOf(t, p) {
			other := maps.Clone(usual)
			other[p.Name] = value
			r.add(target(at, parameters, other))
		}
		if p.Name == "cursor" {
			r.add(r.targets[0] + nextPage)
		}
	}
	for _, more := range together[r.name] {
		r.add(target(at, parameters, usual, more))
	}
}

func (r *route) add(target string) {
	if !slices.Contains(r.targets, target) {
		r.targets = append(r.targets, target)
	}
}

// target writes the values of parameters into a path and a query, to which more may be added.
func target(at string, parameters []parameter, values map[string]string, more ...string) string {
	query := []string(nil)
	for _, p := range parameters {
		value, given := values[p.Name]
		switch {
		case !given:
		case p.In == "path":
			at = strings.ReplaceAll(at, "{"+p.Name+"}", value)
		default:
			query = append(query, p.Name+"="+value)
		}
	}
	if query = append(query, more...); len(query) == 0 {
		return at
	}
	return at + "?" + strings.Join(query, "&")
}

// valuesOf returns the values of a parameter: those of the tables, or those that its schema lists.
func (r *route) valuesOf(t *testing.T, p parameter) []string {
	t.Helper()
	if p.In == "header" || p.Name == "cursor" {
		return nil
	}
	for _, name := range []string{r.name + "." + p.Name, p.Name} {
		if of, ok := values[name]; ok {
			return of
		}
	}
	if len(p.Schema.Enum) == 0 {
		t.Errorf("%s has no values for its parameter %s: add them to values in values_test.go", r.name, p.Name)
	}
	return p.Schema.Enum
}

// everyPage reads the pages from the router's list. Those that only accept forms redirect.
func everyPage(t *testing.T) (all []route) {
	t.Helper()
	for _, r := range pages.Routes(t) {
		if r.Method != http.MethodGet || strings.HasPrefix(r.Path, "/static/") {
			continue
		}
		asked, ok := queries[r.Path]
		if !ok {
			asked = []string{r.Example}
		}
		page := route{name: r.Path}
		for _, query := range asked {
			at := pathWith(r.Path)
			if query != "" {
				at += "?" + query
			}
			page.add(at)
		}
		all = append(all, page)
	}
	return all
}

// pathWith writes the parameters of a path as placeholders.
func pathWith(of string) string {
	parts := strings.Split(of, "/")
	for i, part := range parts {
		if name, ok := strings.CutPrefix(part, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}
