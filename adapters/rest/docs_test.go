package rest_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

func TestTheDocsPageLoadsItsOwnFilesAndNothingElse(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	page := s.get("/api/docs", "").wantStatus(200, "")
	policy := page.header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("the page has the policy %q", policy)
	}
	files := regexp.MustCompile(`(?:src|href)="(/api/docs/[^"]+)"`).FindAllStringSubmatch(page.raw, -1)
	if len(files) != 4 {
		t.Fatalf("the page loads %v", files)
	}
	for _, path := range []string{files[0][1], files[1][1], files[2][1], files[3][1], "/api/docs/swagger-ui.LICENSE.txt", "/api/openapi.yaml"} {
		r := s.get(path, "").wantStatus(200, "")
		if policy := r.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "'self'") {
			t.Errorf("%s has the policy %q", path, policy)
		}
		if r.header.Get("Content-Type") == "" {
			t.Errorf("%s has no type", path)
		}
		if s.get(path, "", header("If-None-Match", r.header.Get("ETag"))).status != http.StatusNotModified {
			t.Errorf("%s is sent again", path)
		}
	}
	if strings.Contains(page.raw, "//") || strings.Contains(page.raw, "<style") || strings.Contains(page.raw, "<script>") || strings.Contains(page.raw, "style=") {
		t.Errorf("the page has something inline or from elsewhere: %s", page)
	}
	s.get("/api/docs/start.json", "").wantStatus(404, "route_not_found")
}

func TestTheDocsAreCompressedForClientsThatAcceptIt(t *testing.T) {
	s := newSiteWithoutUseCases(t)
	const path = "/api/docs/swagger-ui-bundle.js"
	plain := s.get(path, "").wantStatus(200, "")
	packed := s.get(path, "", header("Accept-Encoding", "gzip, br")).wantStatus(200, "")
	if packed.header.Get("Content-Encoding") != "gzip" || packed.header.Get("Vary") != "Accept-Encoding" || plain.header.Get("Content-Encoding") != "" {
		t.Errorf("plain: %v, compressed: %v", plain.header, packed.header)
	}
	r, err := gzip.NewReader(strings.NewReader(packed.raw))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil || string(text) != plain.raw || !strings.Contains(plain.raw, "SwaggerUIBundle") {
		t.Errorf("%d bytes compressed, %d plain: %v", len(text), len(plain.raw), err)
	}
	if refusing := s.get(path, "", header("Accept-Encoding", "gzip;q=0")); refusing.header.Get("Content-Encoding") != "" {
		t.Error("a client that refuses gzip gets it")
	}
}

// TestTheDocumentIsValid validates each example; this test checks that none is missing.
func TestEveryOperationHasExamplesOfRequestAndResponse(t *testing.T) {
	for path, item := range newSiteWithoutUseCases(t).document.Paths.Map() {
		for _, op := range item.Operations() {
			if op.Tags[0] == "document" {
				continue
			}
			for _, p := range op.Parameters {
				if p.Value.In == "path" && p.Value.Example == nil {
					t.Errorf("%s: the parameter %s has no example", op.OperationID, p.Value.Name)
				}
			}
			if op.RequestBody != nil && len(examples(op.RequestBody.Value.Content)) == 0 {
				t.Errorf("%s: the body has no example", op.OperationID)
			}
			if !answersByExample(op, router(path)) {
				t.Errorf("%s: no example of an answer with its method", op.OperationID)
			}
		}
	}
}

// answersByExample reports whether a success response has an example that is text or
// the operation's own envelope.
func answersByExample(op *openapi3.Operation, pattern string) bool {
	for status, answer := range op.Responses.Map() {
		if status >= "3" {
			continue
		}
		for _, example := range examples(answer.Value.Content) {
			envelope, ok := example.(map[string]any)
			if !ok || envelope["method"] == pattern {
				return true
			}
		}
	}
	return false
}

func examples(content openapi3.Content) (out []any) {
	for _, media := range content {
		if media.Example != nil {
			out = append(out, media.Example)
		}
		for _, e := range media.Examples {
			out = append(out, e.Value.Value)
		}
	}
	return out
}
