package e2e_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

func uploadCourses(t *testing.T, by e2e.Client, term, file string) string {
	t.Helper()
	return uploadCoursesOf(t, by, "university-of rochester", term, file)
}

// uploadCoursesOf uploads the courses of a university and term and returns the answer.
func uploadCoursesOf(t *testing.T, by e2e.Client, university, term, file string) string {
	t.Helper()
	query := url.Values{"university": {university}, "term": {term}}.Encode()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, by.URL+"/api/dashboard/importCourses?"+query, strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "text/csv")
	req.Header.Set("Authorization", "Bearer "+by.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the upload answers %d %s, %v, want 200", resp.StatusCode, body, err)
	}
	return string(body)
}

type idList []struct{ ID, Name, Course, Condition string }

func TestACourseListLeadsToASale(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	dean, ann, bob := s.Student("dean@campus.edu", "Dean"), s.Student("ann@campus.edu", "Ann"), s.Student("bob@campus.edu", "Bob")
	if out, code := s.Octavo("users", "promote", "dean@campus.edu", "--role", "admin"); code != 0 {
		t.Fatalf("promote: %s", out)
	}
	const file = "course,title,isbn,name,edition\nCSC 172,Data Structures,0-262-03384-4,Introduction to Algorithms,3\n"
	if got := uploadCourses(t, dean, "2026-fall", file+"CSC 172,,9780262033849,Wrong,\n"); !strings.Contains(got, `"line":3`) || !strings.Contains(got, `"books":1`) {
		t.Errorf("uploaded %s", got)
	}
	var found idList
	for _, c := range []e2e.Client{ann, bob} {
		c.Must(t, http.StatusOK, "GET", "/api/user/getCourses?query=data", nil).Data(t, &found)
		c.Must(t, http.StatusOK, "POST", "/api/user/setMyCourses", map[string]any{"courses": []string{found[0].ID}})
	}

	// Ann took the course; in the next term she sells what she used, and Bob buys it.
	uploadCourses(t, dean, "2027-spring", file)
	bob.Must(t, http.StatusOK, "GET", "/api/user/getCourses", nil).Data(t, &found)
	ids := map[string]any{"courseIds": []string{found[0].ID}}
	var made struct{ Requests, Skipped idList }
	bob.Must(t, http.StatusCreated, "POST", "/api/user/requestCourseBooks", ids).Data(t, &made)
	if len(made.Requests) != 1 || len(made.Skipped) != 0 {
		t.Fatalf("made %+v, want one request", made)
	}
	var used idList
	ann.Must(t, http.StatusOK, "GET", "/api/user/getUsedBooks", nil).Data(t, &used)
	if len(used) != 1 || used[0].Name != "Introduction to Algorithms" {
		t.Fatalf("used are %+v, want the book of the past term", used)
	}
	offer := e2e.Draft(used[0].Name, used[0].Course)
	offer["ISBN"] = "9780262033848"
	var listed idList
	ann.Must(t, http.StatusCreated, "POST", "/api/books/postBooks", map[string]any{"books": []any{offer}}).Data(t, &listed)
	s.Mail("bob@campus.edu", "match_found")
	bob.Must(t, http.StatusCreated, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{listed[0].ID}})
	s.Mail("ann@campus.edu", "book_sold")

	bob.Must(t, http.StatusCreated, "POST", "/api/user/requestCourseBooks", ids).Data(t, &made)
	if len(made.Requests) != 0 || len(made.Skipped) != 1 {
		t.Errorf("after the sale: %+v, want the book skipped", made)
	}
	ann.Must(t, http.StatusOK, "GET", "/api/user/getUsedBooks", nil).Data(t, &used)
	if len(used) != 0 {
		t.Errorf("after the sale used are %+v, want none", used)
	}
}
