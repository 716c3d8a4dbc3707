package webhookhttp_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	hooks "github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

func TestTenProgramsAreTwentyFiveLines(t *testing.T) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "programs_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	programs, lines := 0, 0
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(fn.Name.Name, "program") {
			continue
		}
		programs++
		lines += files.Position(fn.Body.Rbrace).Line - files.Position(fn.Body.Lbrace).Line - 1
	}
	if programs != 10 || lines > 25 {
		t.Errorf("%d programs have %d lines", programs, lines)
	}
}

func TestThereIsExactlyOneConstantForEachEvent(t *testing.T) {
	host, github := constantsOf(t, "events.go"), constantsOf(t, "githubevents.go")
	if want := webhook.EventNames(); !slices.Equal(host, want) {
		t.Errorf("there are %d constants, want those of %d events", len(host), len(want))
	}
	want := slices.DeleteFunc(webhook.GitHub.EventNames(), func(n webhook.EventName) bool { return slices.Contains(host, n) })
	if !slices.Equal(github, want) {
		t.Errorf("GitHub has %d more constants, want those of %d events", len(github), len(want))
	}
}

// constantsOf returns the names in a file of constants, sorted.
func constantsOf(t *testing.T, name string) (constants []webhook.EventName) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok {
			name, _ := strconv.Unquote(text.Value)
			constants = append(constants, webhook.EventName(name))
		}
		return true
	})
	slices.Sort(constants)
	return constants
}

func TestTheProgramsWork(t *testing.T) {
	_ = programServe // it never returns
	push := hooks.Event{Name: "push", Payload: []byte("{}")}
	answer := func(handler http.Handler, path string, e hooks.Event) int {
		recorded := httptest.NewRecorder()
		handler.ServeHTTP(recorded, hooks.SignedRequest("secret", path, e))
		return recorded.Code
	}
	r := hooks.Must("secret")
	programTyped(r)
	programLog(r)
	mux := http.NewServeMux()
	programRouter(mux, r)
	rotated, err := programRotate()
	if err != nil {
		t.Fatal(err)
	}
	retrying, gone := hooks.Must("secret"), hooks.Must("secret")
	programRetry(retrying)
	programGone(gone)
	for name, c := range map[string]struct{ got, want int }{
		"test":       {programTest(hooks.Handler(r, hooks.Options{})), 200},
		"middleware": {answer(programMiddleware(http.NotFoundHandler(), r), "/hooks", push), 200},
		"router":     {answer(mux, "/hooks/ci", push), 200},
		"retry":      {answer(hooks.Endpoint(retrying, hooks.Options{}), "/", push), 503},
		"gone":       {answer(hooks.Endpoint(gone, hooks.Options{}), "/", hooks.Event{Name: "ping", Payload: []byte("{}")}), 410},
	} {
		if c.got != c.want {
			t.Errorf("%s: answered %d, want %d", name, c.got, c.want)
		}
	}
	req := hooks.SignedRequest("the old secret", "/", push)
	if err := programRelay(rotated, req.Header, []byte("{}")); err != nil {
		t.Errorf("signed with the old secret: %v", err)
	}
	must.Refuse(t, programRelay(rotated, req.Header, []byte("{ }")), hooks.ErrSignatureMismatch, "with another body")
}

func TestTheErrorOfAHandlerSetsTheAnswer(t *testing.T) {
	boom, gone := errors.New("boom"), hooks.WithStatus(errors.New("removed"), http.StatusGone)
	for name, c := range map[string]struct {
		errs       []error
		status     int
		retryAfter string
	}{
		"an error":                      {[]error{boom}, 500, ""},
		"a status":                      {[]error{gone}, 410, ""},
		"a wrapped status":              {[]error{fmt.Errorf("hook: %w", gone)}, 410, ""},
		"an error and a status":         {[]error{boom, gone}, 410, ""},
		"two statuses":                  {[]error{gone, hooks.WithStatus(boom, 422)}, 410, ""},
		"a status that is no failure":   {[]error{hooks.WithStatus(boom, 200)}, 500, ""},
		"a status and a retry":          {[]error{gone, hooks.Retry(90 * time.Second)}, 503, "90"},
		"a retry with its cause":        {[]error{errors.Join(hooks.Retry(time.Minute), boom)}, 503, "60"},
		"a retry at once":               {[]error{hooks.Retry(0)}, 503, "1"},
		"nothing, with a status":        {[]error{hooks.WithStatus(nil, 410)}, 200, ""},
		"a failure behind one that ran": {[]error{nil, gone}, 410, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := hooks.Must("secret")
			for _, err := range c.errs {
				r.Handle("push", func(context.Context, hooks.Event) error { return err })
			}
			answer := httptest.NewRecorder()
			hooks.Endpoint(r, hooks.Options{}).ServeHTTP(answer, hooks.SignedRequest("secret", "/", hooks.Event{Name: "push", Payload: []byte("{}")}))
			if answer.Code != c.status || answer.Header().Get("Retry-After") != c.retryAfter {
				t.Errorf("answered %d, Retry-After %q: %s", answer.Code, answer.Header().Get("Retry-After"), answer.Body)
			}
			if strings.Contains(answer.Body.String(), "boom") || strings.Contains(answer.Body.String(), "removed") {
				t.Errorf("the handler's text is sent: %s", answer.Body)
			}
		})
	}
}

func TestAMistakeInTheProgramPanicsWhenItStarts(t *testing.T) {
	nothing := func(context.Context, hooks.Event) error { return nil }
	for name, mistake := range map[string]func(){
		"no secret":                     func() { hooks.Must("") },
		"a misspelt event":              func() { hooks.Must("s").Handle("pusch", nothing) },
		"an event handler for failures": func() { hooks.Must("s").Handle("error", func(context.Context, hooks.Event) error { return nil }) },
		"no function":                   func() { hooks.Must("s").Handle("push", nil) },
		"no function for any":           func() { hooks.Must("s").HandleAny(nil) },
		"no function for failures":      func() { hooks.Must("s").HandleError(nil) },
		"no typed function":             func() { hooks.HandleTyped[any](hooks.Must("s"), "push", nil) },
		"a request without secret":      func() { hooks.SignedRequest("", "/", hooks.Event{}) },
		"a request to no URL":           func() { hooks.SignedRequest("s", ":", hooks.Event{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("an invalid sender did not panic")
				}
			}()
			mistake()
		})
	}
}

func TestAHandlerRegisteredByNameCanBeRemoved(t *testing.T) {
	r, ran := hooks.Must("secret"), 0
	h := r.Handle("push", func(context.Context, hooks.Event) error { ran++; return nil })
	for range 2 {
		if err := r.Receive(t.Context(), hooks.Event{Name: "push", Payload: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
		r.RemoveListener(h, "push")
	}
	if ran != 1 {
		t.Errorf("it ran %d times", ran)
	}
}
