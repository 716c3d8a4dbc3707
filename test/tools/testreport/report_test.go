package main

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/must"
)

// told returns what the report prints for lines of go test.
func told(verbose bool, lines ...string) string {
	var out strings.Builder
	r := newReport(&out, verbose)
	for _, l := range lines {
		r.line([]byte(l))
	}
	r.summary(7400 * time.Millisecond)
	return out.String()
}

const pkg = `"Package":"github.com/octavo-books/octavo/domain/book"`

func TestThePrintedTextOfAFailingTestIsShownAndThatOfAPassingOneIsNot(t *testing.T) {
	out := told(false,
		`{"Action":"run",`+pkg+`,"Test":"TestA"}`, `{"Action":"output",`+pkg+`,"Test":"TestA","Output":"=== RUN   TestA\n"}`,
		`{"Action":"output",`+pkg+`,"Test":"TestA","Output":"    a_test.go:3: got 1, want 2\n"}`, `{"Action":"fail",`+pkg+`,"Test":"TestA","Elapsed":0.2}`,
		`{"Action":"run",`+pkg+`,"Test":"TestB"}`, `{"Action":"output",`+pkg+`,"Test":"TestB","Output":"nothing of interest\n"}`, `{"Action":"pass",`+pkg+`,"Test":"TestB","Elapsed":3}`,
		`{"Action":"output",`+pkg+`,"Output":"FAIL\tgithub.com/octavo-books/octavo/domain/book\t3.2s\n"}`, `{"Action":"fail",`+pkg+`,"Elapsed":3.2}`)
	for _, want := range []string{"domain/book:\n    a_test.go:3: got 1, want 2\n", "FAIL\tgithub.com", "2 tests with 0 subtests ran in 1 packages", "and took 7 s of processor time.", "3.0 s  domain/book TestB", "FAILED: 1 tests"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	for _, unwanted := range []string{"of interest", "=== RUN"} {
		if strings.Contains(out, unwanted) {
			t.Errorf("%q is in:\n%s", unwanted, out)
		}
	}
	if out := told(true, `{"Action":"output",`+pkg+`,"Test":"TestB","Output":"nothing of interest\n"}`); !strings.Contains(out, "of interest") {
		t.Errorf("-v hides what a test prints:\n%s", out)
	}
}

func TestAPanicIsShownWithTheTestsThatItInterrupted(t *testing.T) {
	out := told(false,
		`{"Action":"run",`+pkg+`,"Test":"TestA"}`, `{"Action":"output",`+pkg+`,"Test":"TestA","Output":"panic: test timed out after 1s\n"}`,
		`{"Action":"output",`+pkg+`,"Output":"FAIL\tdomain/book\t1.0s\n"}`, `{"Action":"fail",`+pkg+`,"Elapsed":1}`)
	if !strings.Contains(out, "domain/book, in TestA:\npanic: test timed out") || !strings.Contains(out, "in 1 packages") {
		t.Errorf("it says:\n%s", out)
	}
}

func TestWhatDoesNotCompileIsShown(t *testing.T) {
	out := told(false, `{"ImportPath":"x","Action":"build-output","Output":"x.go:1: undefined: y\n"}`, `{"ImportPath":"x","Action":"build-fail"}`,
		`{"Action":"output",`+pkg+`,"Output":"FAIL\tdomain/book [build failed]\n"}`, `{"Action":"fail",`+pkg+`,"FailedBuild":"x"}`)
	if !strings.Contains(out, "undefined: y") || !strings.Contains(out, "[build failed]") || !strings.Contains(out, "FAILED") {
		t.Errorf("it says:\n%s", out)
	}
}

func TestTheSummarySaysWhatIsLeftToTheDeepRun(t *testing.T) {
	out := told(false,
		`{"Action":"run",`+pkg+`,"Test":"TestA"}`, `{"Action":"output",`+pkg+`,"Test":"TestA","Output":"    a_test.go:3: LEFT TO test:deep: a million books\n"}`, `{"Action":"skip",`+pkg+`,"Test":"TestA"}`,
		`{"Action":"run",`+pkg+`,"Test":"TestB"}`, `{"Action":"output",`+pkg+`,"Test":"TestB","Output":"    b_test.go:3: only root may\n"}`, `{"Action":"skip",`+pkg+`,"Test":"TestB"}`,
		`{"Action":"run",`+pkg+`,"Test":"TestC"}`, `{"Action":"run",`+pkg+`,"Test":"TestC/one"}`, `{"Action":"pass",`+pkg+`,"Test":"TestC/one","Elapsed":1}`, `{"Action":"pass",`+pkg+`,"Test":"TestC","Elapsed":1.5}`,
		`{"Action":"output",`+pkg+`,"Output":"PASS\n"}`, `{"Action":"output",`+pkg+`,"Output":"ok  \tdomain/book\t(cached)\n"}`, `{"Action":"pass",`+pkg+`,"Elapsed":1.5}`,
		`{"Action":"skip","Package":"github.com/octavo-books/octavo/test/fake"}`)
	for _, want := range []string{"ok  \tdomain/book\t(cached)\n", "1 tests with 1 subtests ran in 1 packages (1 of them cached)", " 1 are left to `go tool task test:deep`.", " 1 do not apply here", "1.0 s  domain/book TestC/one\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	for _, unwanted := range []string{"1.5 s", "FAILED"} {
		if strings.Contains(out, unwanted) {
			t.Errorf("%q is in:\n%s", unwanted, out)
		}
	}
}

func TestTheSummaryOfAShortRunSaysWhatIsLeftToTheWholeRun(t *testing.T) {
	out := told(false,
		`{"Action":"run",`+pkg+`,"Test":"TestA"}`, `{"Action":"output",`+pkg+`,"Test":"TestA","Output":"    a_test.go:3: LEFT OUT of a short run: needs Redis\n"}`, `{"Action":"skip",`+pkg+`,"Test":"TestA"}`)
	if !strings.Contains(out, " 1 are left to `go tool task test`.") || strings.Contains(out, "do not apply") {
		t.Errorf("it says:\n%s", out)
	}
}

func TestTheTimeOfDownloadsIsNotThatOfTests(t *testing.T) {
	var out strings.Builder
	r := newReport(&out, false)
	r.began = time.Now().Add(-time.Minute)
	must.Get(r.Write([]byte("go: downloading example.org/a v1.0.0\n")))(t)
	r.began = r.began.Add(-2 * time.Minute)
	r.summary(0)
	if !strings.Contains(out.String(), "Before that, modules were downloaded for 1m0s.") || !strings.Contains(out.String(), " in 2m0s, ") {
		t.Errorf("it says:\n%s", out.String())
	}
}
