package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/adapters/rest/confirmpage"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/sent"
)

// site is the handler behind the router and middleware of production.
type site struct {
	t        testing.TB
	engine   *gin.Engine
	handler  http.Handler
	document *openapi3.T
}

func open(t testing.TB, services rest.Services, cfg rest.Config, clock market.Clock, auth httpx.Authenticator) *site {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	services.Layout = plainLayout
	api, err := rest.New(services, cfg, clock, log)
	if err != nil {
		t.Fatal(err)
	}
	engine := ginserver.NewEngine()
	engine.NoRoute(api.NoRoute)
	engine.NoMethod(api.NoMethod)
	if err := api.Register(engine); err != nil {
		t.Fatal(err)
	}
	middleware, err := httpx.NewMiddleware(httpx.Config{Cookies: httpx.CookieConfig{SameSite: http.SameSiteLaxMode}},
		httpx.Options{Auth: auth, Log: slog.New(slog.DiscardHandler), WriteError: api.WriteError, Observe: noteSuccess})
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, engine: engine, handler: middleware.Wrap(ginserver.Handler(engine))}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/openapi.yaml", nil))
	if s.document, err = parsed(w.Body.String()); err != nil {
		t.Fatal(err)
	}
	return s
}

// parsed caches the document: parsing it for each test took longer than the tests.
func parsed(text string) (*openapi3.T, error) {
	documentsMu.Lock()
	defer documentsMu.Unlock()
	if documents[text] == nil {
		d, err := openapi3.NewLoader().LoadFromData([]byte(text))
		if err != nil {
			return nil, err
		}
		documents[text] = d
	}
	return documents[text], nil
}

var (
	documentsMu sync.Mutex
	documents   = map[string]*openapi3.T{} // by their text
)

// plainLayout is a layout without header and style sheet.
func plainLayout(w http.ResponseWriter, _ *http.Request, p confirmpage.Page) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(p.Status)
	_, _ = fmt.Fprintf(w, "<html lang=%q><title>%s</title>\n%s</html>\n", p.Lang, p.Title, p.Main)
}

// newSiteWithoutUseCases returns a site without use cases. Validation must refuse a request before
// any use case is needed.
func newSiteWithoutUseCases(t testing.TB) *site {
	return open(t, rest.Services{}, rest.Default(), fake.NewClock().Now, roleTokens{})
}

// roleTokens is an Authenticator whose tokens are the names of roles.
type roleTokens struct{}

func (roleTokens) Authenticate(_ context.Context, token string, from user.ClientInfo) (user.Caller, error) {
	c := user.Caller{ID: 7, Session: 1, From: from}
	switch token {
	case "newcomer": // no student profile
	case "student":
		c.Student = true
	case "admin":
		c.Student, c.Role = true, user.Admin
	case "owner":
		c.Student, c.Role = true, user.Owner
	default:
		return user.Caller{}, user.ErrUnauthenticated
	}
	return c, nil
}

// result is a response that has been validated against the document.
type result struct {
	t      testing.TB
	status int
	header http.Header
	raw    string
	data   any
	method string
	sent   func() string
}

// String says what came back, and what was sent.
func (r *result) String() string {
	return fmt.Sprintf("%d %s, in response to %s", r.status, sent.Short(r.raw), r.sent())
}

// call sends body as JSON, nothing if it is nil, or the bytes of a string. Options
// change the request.
func (s *site) call(method, path, token string, body any, options ...func(*http.Request)) *result {
	s.t.Helper()
	r := httptest.NewRequest(method, path, reader(s.t, body))
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for _, o := range options {
		o(r)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	out := &result{t: s.t, status: w.Code, header: w.Header(), raw: w.Body.String(), sent: func() string { return sent.Request(method, path, body) }}
	s.validate(out, method, path)
	return out
}

func (s *site) get(path, token string, options ...func(*http.Request)) *result {
	s.t.Helper()
	return s.call(http.MethodGet, path, token, nil, options...)
}

func (s *site) post(path, token string, body any, options ...func(*http.Request)) *result {
	s.t.Helper()
	return s.call(http.MethodPost, path, token, body, options...)
}

func reader(t testing.TB, body any) io.Reader {
	t.Helper()
	switch body := body.(type) {
	case nil:
		return http.NoBody
	case string:
		return strings.NewReader(body)
	case io.Reader:
		return body
	}
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b)
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// validate checks the envelope and every field of the response against the document.
func (s *site) validate(r *result, method, path string) {
	s.t.Helper()
	if media := r.header.Get("Content-Type"); media != "application/json" {
		if strings.Contains(media, "json") {
			s.t.Errorf("%s %s is answered as %q", method, path, media)
		}
		return
	}
	var envelope map[string]any
	if err := json.Unmarshal([]byte(r.raw), &envelope); err != nil {
		s.t.Fatalf("%s %s: the response is not JSON: %s", method, path, r)
	}
	r.data, r.method = envelope["data"], fmt.Sprint(envelope["method"])
	at, err := time.Parse(time.RFC3339, fmt.Sprint(envelope["time"]))
	if err != nil || at.Location() != time.UTC || len(envelope) != 3 {
		s.t.Errorf("%s %s: the envelope is %s", method, path, r)
	}
	if code := r.text("code"); r.status >= 400 && !strings.Contains(s.codes(), "`"+code+"`") {
		s.t.Errorf("%s %s: the document does not list the code %q", method, path, code)
	}
	s.checkFields(method, path, r)
	if schema := s.schemaOf(method, r); schema != nil {
		if err := schema.VisitJSON(any(envelope), openapi3.VisitAsResponse(), openapi3.MultiErrors()); err != nil {
			s.t.Errorf("%s %s: the response does not match the document: %v\n%s", method, path, err, r)
		}
		s.known(schema, envelope, r.method)
	}
}

// checkFields checks that the error names each offending field with a message.
func (s *site) checkFields(method, path string, r *result) {
	s.t.Helper()
	if code := r.text("code"); r.status != http.StatusBadRequest || code == "invalid_json" || code == "invalid_form" || code == "invalid_query" {
		return
	}
	if len(r.fields()) == 0 {
		s.t.Errorf("%s %s names no field: %s", method, path, r)
	}
	for field, why := range r.fields() {
		text, _ := why.(string)
		if text == "" || strings.ToUpper(text[:1]) != text[:1] || !strings.HasSuffix(text, ".") {
			s.t.Errorf("%s %s: the message for %s is not a sentence: %q", method, path, field, text)
		}
	}
}

// codes returns the error codes in the document.
func (s *site) codes() string {
	return s.document.Components.Schemas["Refusal"].Value.Properties["code"].Value.Description
}

// schemaOf returns the schema of this response, nil for unknown routes.
func (s *site) schemaOf(method string, r *result) *openapi3.Schema {
	s.t.Helper()
	for path, item := range s.document.Paths.Map() {
		op := item.GetOperation(method)
		if op == nil || router(path) != r.method {
			continue
		}
		answer := op.Responses.Status(r.status)
		if answer == nil && r.status < 400 {
			s.t.Errorf("%s %s: the document has no status %d", method, path, r.status)
		}
		if answer == nil {
			answer = op.Responses.Default()
		}
		if content := answer.Value.Content.Get("application/json"); content != nil {
			return content.Schema.Value
		}
	}
	return nil
}

func router(path string) string { return strings.NewReplacer("{", ":", "}", "").Replace(path) }

// known fails for fields that are not in the document.
func (s *site) known(schema *openapi3.Schema, v any, at string) {
	s.t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for _, one := range schema.OneOf {
			if len(one.Value.Properties) > 0 {
				schema = one.Value
			}
		}
		for name, field := range v {
			p, ok := schema.Properties[name]
			switch {
			case ok:
				s.known(p.Value, field, at+"."+name)
			case schema.AdditionalProperties.Schema == nil:
				s.t.Errorf("%s has the field %s, which is not in the document", at, name)
			}
		}
	case []any:
		for _, one := range schema.OneOf {
			if one.Value.Items != nil {
				schema = one.Value
			}
		}
		for _, item := range v {
			s.known(schema.Items.Value, item, at+"[]")
		}
	}
}

// wantStatus fails unless the response has this status and, for an error, this code.
func (r *result) wantStatus(status int, code string) *result {
	r.t.Helper()
	if r.status != status || code != "" && r.text("code") != code {
		r.t.Errorf("want %d %s, got %s", status, code, r)
	}
	return r
}

// at returns a value in data by field names and list indexes.
func (r *result) at(path ...any) any {
	r.t.Helper()
	v := r.data
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := v.(map[string]any)
			v = object[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				r.t.Fatalf("there is no entry %d in %s", step, r)
			}
			v = list[step]
		}
	}
	return v
}

func (r *result) text(path ...any) string {
	r.t.Helper()
	s, _ := r.at(path...).(string)
	return s
}

func (r *result) list() []any {
	list, _ := r.data.([]any)
	return list
}

// fields returns the fields that an error names.
func (r *result) fields() map[string]any {
	m, _ := r.at("fields").(map[string]any)
	return m
}
