package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

const scimToken = "a token for the directory"

// scim sends a request as the directory of an institution.
func scim(t *testing.T, s *e2e.Server, token, method, path, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/scim/v2"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/scim+json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestASellerWhomTheDirectoryDeactivatesIsOutAtOnce(t *testing.T) {
	t.Parallel()
	s := e2e.StartWith(t, []string{"SCIM_TOKEN=" + scimToken})
	if status, body := scim(t, s, "another token", "GET", "/Users", ""); status != http.StatusUnauthorized || !strings.Contains(body, `"status":"401"`) {
		t.Errorf("%d %s", status, body)
	}
	zoe := s.Student("zoe@campus.edu", "Zoe")
	zoe.Post(t, "Algebra", "MATH 1")
	_, body := scim(t, s, scimToken, "GET", `/Users?filter=userName+eq+%22zoe%40campus.edu%22`, "")
	_, rest, found := strings.Cut(body, `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	if !found {
		t.Fatal(body)
	}
	off := `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{"op":"Replace","path":"active","value":"False"}]}`
	if status, body := scim(t, s, scimToken, "PATCH", "/Users/"+id, off); status != http.StatusOK || !strings.Contains(body, `"active":false`) {
		t.Fatalf("%d %s", status, body)
	}
	if _, code := zoe.GraphQL(t, `{ me { email } }`, nil); code != "UNAUTHENTICATED" {
		t.Errorf("the session goes on: %s", code)
	}
	nobody := e2e.Client{URL: s.URL}
	if page := nobody.Must(t, http.StatusOK, "GET", "/api/books/getBooksNoToken/10/0", nil); strings.Contains(string(page.Body), "Algebra") {
		t.Error("the book is for sale still")
	}
	if status, body := scim(t, s, scimToken, "DELETE", "/Users/"+id, ""); status != http.StatusNoContent {
		t.Errorf("%d %s", status, body)
	}
	for request, want := range map[string]int{"GET /nothing": http.StatusNotFound, "PUT /Users": http.StatusMethodNotAllowed} {
		method, path, _ := strings.Cut(request, " ")
		if status, body := scim(t, s, scimToken, method, path, ""); status != want || !strings.Contains(body, fmt.Sprintf(`"status":"%d"`, want)) {
			t.Errorf("%s: %d %s, want %d", request, status, body, want)
		}
	}
}
