package rulefile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/rulefile"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

// conditions compiles every condition but one.
type conditions struct{}

func (conditions) CompileExpression(text string) (inbox.Expression, error) {
	if text == "wrong" {
		return nil, errors.New("no")
	}
	return nil, nil
}

func TestEveryFieldOfARuleIsLoaded(t *testing.T) {
	t.Setenv("RULE_TOKEN", "tulip")
	path := filepath.Join(t.TempDir(), "rules.yaml")
	text := `# two rules
- match: push
  url: https://deploy.example/hooks
- {name: tracker, source: ci, match: [issues.*, push], where: payload.a == 1, headers: {Authorization: "Bearer ${RULE_TOKEN}"}, paused: true, url: "http://tracker.internal:8080/", secret: s, private: true, concurrency: 2, orderBy: $.repository.id, rate: 100/m, timeout: 1m30s, maxTries: 10}
`
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	got, err := rulefile.Load(path, conditions{}.CompileExpression)
	want := []inbox.Rule{
		{Match: "push", URL: "https://deploy.example/hooks", Concurrency: 4, Timeout: 10 * time.Second, MaxTries: 36},
		{Name: "tracker", Source: "ci", Match: "issues.*\npush", Where: "payload.a == 1", URL: "http://tracker.internal:8080/", Secret: "s", Headers: map[string]string{"Authorization": "Bearer tulip"}, Paused: true, Private: true, Concurrency: 2, OrderBy: "$.repository.id", Rate: "100/m", Timeout: 90 * time.Second, MaxTries: 10},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestAnEmptyFileHasNoRules(t *testing.T) {
	for _, text := range []string{"", "# nothing yet\n", "[]"} {
		if got, err := rulefile.Parse([]byte(text), "rules.yaml", conditions{}.CompileExpression); err != nil || len(got) != 0 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func TestAnErrorNamesTheMistake(t *testing.T) {
	for text, want := range map[string]string{
		"- {match: push, url: 'http://127.0.0.1/'}\n- match: push\n  where: wrong\n  url: http://127.0.0.1/": "line 2: rule 2: Forwarding rule: where: no",
		"- {match: push, where: ' ', url: 'http://127.0.0.1/'}":                                              "where: it is empty",
		"- match: push\n  ulr: http://127.0.0.1/":                                                            "line 2: field ulr not found, which no rule has",
		"- match: push": "rule 1",
		"- {match: push, url: 'http://127.0.0.1/', timeout: soon}":  "soon",
		"- {match: push, url: 'http://127.0.0.1/', concurrency: x}": "line 1",
		"match: push": "line 1: cannot unmarshal !!map into a list of rules",
		"- {match: push, url: 'http://127.0.0.1/', concurrency: 2.5}":             `line 1: "2.5" is not a whole number`,
		"- {match: push, url: 'http://127.0.0.1/', maxTries: 0}":                  `line 1: "0" is not a whole number`,
		"- {match: push, url: 'http://127.0.0.1/', timeout: 0s}":                  `line 1: timeout "0s"`,
		"- {match: push, url: 'http://127.0.0.1/', secretFile: /dev/zero}":        "larger than",
		"- {match: push, rate: 10/d, url: 'http://127.0.0.1/'}":                   "rule 1: Forwarding rule: rate",
		"- {match: [push, [x]], url: 'http://127.0.0.1/'}":                        "line 1: match",
		"- {match: push, source: a b, url: 'http://127.0.0.1/'}":                  "rule 1: Forwarding rule: source",
		"- {match: push, headers: {A: '${NO_SUCH}'}, url: 'http://127.0.0.1/'}":   "NO_SUCH, which is not set",
		"- {match: push, headers: {A: [x]}, url: 'http://127.0.0.1/'}":            "line 1: the header",
		"- {match: push, headers: x, url: 'http://127.0.0.1/'}":                   "line 1: headers",
		"- {match: push, headers: [[x]], url: 'http://127.0.0.1/'}":               "line 1: headers",
		"- {match: push, headers: [a b], url: 'http://127.0.0.1/'}":               "headers: \"a b\"",
		"- {match: push, headers: {A: b}, set: {C: d}, url: 'http://127.0.0.1/'}": "set: headers is a map already",
		"- {match: push, set: x, url: 'http://127.0.0.1/'}":                       "line 1: it is not a map",
		"- {match: push, sign: twice, url: 'http://127.0.0.1/'}":                  "sign: \"twice\"",
		"- {match: push, url: 'http://127.0.0.1/${NO_SUCH}'}":                     "NO_SUCH, which is not set",
		"- {match: push, url: 'http://127.0.0.1/', secret: 'hidden ${NO_SUCH}'}":  "NO_SUCH, which is not set",
		"- {match: push, url: 'http://127.0.0.1/', secret: a, secretFile: b}":     "secretFile: secret is given, too",
		"- {match: push, url: 'http://127.0.0.1/', secretFile: none}":             "no such file",
		"- {match: Push, url: 'http://127.0.0.1/'}":                               `"push"`,
		"[]\n---\n[]": "document",
		"- [":         "line",
		"[" + strings.Repeat("{match: push, url: 'http://127.0.0.1/'},", 1001) + "]": "1001 rules",
	} {
		if _, err := rulefile.Parse([]byte(text), "rules.yaml", conditions{}.CompileExpression); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v", text, err)
		}
	}
	must.Refuse(t, must.Err(rulefile.Load(filepath.Join(t.TempDir(), "none.yaml"), conditions{}.CompileExpression)), os.ErrNotExist, "a missing file")
	large := filepath.Join(t.TempDir(), "large.yaml")
	must.Do(t, os.WriteFile(large, make([]byte, 1<<20+1), 0o600))
	if _, err := rulefile.Load(large, conditions{}.CompileExpression); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("a large file: %v", err)
	}
}

func TestARuleWithoutASourceMatchesAnyNameIfTheDefaultSenderIsNotHost(t *testing.T) {
	text := []byte("- {match: [issues.opend, push hook], url: http://127.0.0.1/}\n")
	if _, err := rulefile.Parse(text, "rules.yaml", conditions{}.CompileExpression); err == nil {
		t.Error("it is accepted for host")
	}
	if rules, err := rulefile.Parse(text, "rules.yaml", conditions{}.CompileExpression, inbox.AnyName); err != nil || rules[0].Match != "issues.opend\npush hook" {
		t.Errorf("%+v, %v", rules, err)
	}
}

func TestARuleTakesItsSecretFromTheEnvironmentOrAFile(t *testing.T) {
	t.Setenv("RULE_SECRET", "tulip")
	t.Setenv("RULE_HOST", "deploy.example")
	folder := t.TempDir()
	for name, text := range map[string]string{"rules.yaml": "- {match: push, url: 'https://${RULE_HOST}/', secret: 'a ${RULE_SECRET}'}\n- {match: push, url: 'https://a.example/', secretFile: push.secret}\n", "push.secret": "\ufeffin a file\n"} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	got, err := rulefile.Load(filepath.Join(folder, "rules.yaml"), conditions{}.CompileExpression)
	if err != nil || len(got) != 2 || got[0].URL != "https://deploy.example/" || got[0].Secret != "a tulip" || got[1].Secret != "in a file" {
		t.Errorf("%+v, %v", got, err)
	}
	must.Do(t, os.WriteFile(filepath.Join(folder, "push.secret"), []byte("one\ntwo\n"), 0o600))
	if _, err := rulefile.Load(filepath.Join(folder, "rules.yaml"), conditions{}.CompileExpression); err == nil || !strings.Contains(err.Error(), "push.secret is not one line") || strings.Contains(err.Error(), "two") {
		t.Errorf("a file of two lines: %v", err)
	}
}

func TestARuleNarrowsTheHeadersOfTheSenderAndAddsItsOwn(t *testing.T) {
	for text, want := range map[string]inbox.Rule{
		"headers: sender":              {},
		"headers: none":                {Forwarded: []string{}},
		"headers: [X-A, x-b]":          {Forwarded: []string{"X-A", "x-b"}},
		"headers: {X-A: b}":            {Headers: map[string]string{"X-A": "b"}},
		"headers: {set: {X-A: b}}":     {Headers: map[string]string{"X-A": "b"}},
		"headers: none, set: {X-A: b}": {Forwarded: []string{}, Headers: map[string]string{"X-A": "b"}},
		"headers: [X-A], sign: sender": {Forwarded: []string{"X-A"}, Sign: inbox.SignSender},
		"sign: none":                   {Sign: inbox.SignNone},
	} {
		got, err := rulefile.Parse([]byte("- {match: push, url: 'http://127.0.0.1/', "+text+"}"), "", conditions{}.CompileExpression)
		if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0].Forwarded, want.Forwarded) || !reflect.DeepEqual(got[0].Headers, want.Headers) || got[0].Sign != want.Sign {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestAPipeIsNoFileOfRules(t *testing.T) {
	read, w, err := os.Pipe()
	must.Do(t, err)
	defer func() { _, _ = read.Close(), w.Close() }()
	_, err = rulefile.Load(fmt.Sprintf("/dev/fd/%d", read.Fd()), conditions{}.CompileExpression)
	if err == nil || !strings.Contains(err.Error(), "is a pipe") {
		t.Errorf("got %v", err)
	}
}
