package web_test

import (
	"html"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

// sendCourses submits the form with a file of courses and follows no redirect.
func (v *visit) sendCourses(courses string, pairs ...string) *httptest.ResponseRecorder {
	v.t.Helper()
	return v.upload("/dashboard/courses", func(form *multipart.Writer) error {
		for i := 0; i+1 < len(pairs); i += 2 {
			if err := form.WriteField(pairs[i], pairs[i+1]); err != nil {
				return err
			}
		}
		return file(form, "file", "courses.csv", courses)
	})
}

func (v *visit) uploadCourses(term, file string) {
	v.t.Helper()
	if w := v.sendCourses(file, "university", "Campus", "term", term); w.Code != http.StatusSeeOther {
		v.t.Fatalf("the upload of %s answers %d %s", term, w.Code, w.Body)
	}
}

func TestCoursesLeadToRequestsAndTheirBooksToOffers(t *testing.T) {
	c := newCampus(t)
	dean, ben := c.staff("dean", user.Admin), c.student("ben")
	dean.uploadCourses("2026-fall", "course,title,isbn,name,edition\nCSC 172,<script>alert(1)</script>,9780262033848,Algorithms & <b>Trees</b>,3\nART 1,Drawing,,,\n")
	if p := dean.open("/dashboard/courses"); !strings.Contains(p.body, "2 courses") || !strings.Contains(p.body, "1 book") {
		t.Errorf("the dashboard shows %s", p.body)
	}
	at := "?university=Campus"
	found := ben.open("/courses" + at + "&q=csc")
	if strings.Contains(found.body, "<script>alert") || strings.Contains(found.body, "<b>Trees") || !strings.Contains(found.body, "Algorithms &amp; &lt;b&gt;") || strings.Contains(found.body, "ART 1") {
		t.Fatalf("found %s", found.body)
	}
	id := regexp.MustCompile(`action="/courses/add"><input type="hidden" name="id" value="(\d+)"`).FindStringSubmatch(found.body)[1]
	mine := ben.send("/courses/add", "id", id, "university", "Campus", "term", "2026-fall", "q", "csc")
	if !strings.HasPrefix(mine.at, "/courses?") || strings.Contains(mine.body, "No course has") || !strings.Contains(mine.body, "You have already added") || !strings.Contains(mine.body, "Request all missing books") || !strings.Contains(mine.body, "none for sale now") || strings.Contains(mine.body, "Add to my courses") {
		t.Fatalf("chosen on %s: %s", mine.at, mine.body)
	}
	for range 2 {
		if p := ben.send("/courses/request", "university", "Campus", "term", "2026-fall"); p.at != "/wanted" || strings.Count(p.body, "<h3>Algorithms") != 1 {
			t.Fatalf("requested on %s: %s", p.at, p.body)
		}
	}
	if p := ben.open("/courses/sell"); !strings.Contains(p.body, "Nothing to sell here yet") {
		t.Errorf("in the same term the page has %s", p.body)
	}
	dean.uploadCourses("2027-spring", "course,title,name\nART 2,,\n")
	form := ben.open("/courses/sell")
	ref := regexp.MustCompile(`name="price-(\w+)"`).FindStringSubmatch(form.body)[1]
	key := html.UnescapeString(regexp.MustCompile(`name="key" value="(\w+)"`).FindStringSubmatch(form.body)[1])
	if p := ben.send("/courses/sell", "key", key); p.status != http.StatusBadRequest || !strings.Contains(p.body, "at least one book") {
		t.Errorf("an empty form: %d %s", p.status, p.body)
	}
	if p := ben.send("/courses/sell", "key", key, "price-"+ref, "x", "condition-"+ref, "Good", "edition-"+ref, "3"); p.status != http.StatusBadRequest || !strings.Contains(p.body, `aria-invalid="true"`) || !strings.Contains(p.body, `value="x"`) || !strings.Contains(p.body, `value="Good" selected`) {
		t.Errorf("a wrong price: %d %s", p.status, p.body)
	}
	if p := ben.send("/courses/sell", "key", key, "price-"+ref, "", "condition-"+ref, "Good", "edition-"+ref, "3"); p.status != http.StatusBadRequest || !strings.Contains(p.body, `id="f-price-`+ref+`-wrong"`) {
		t.Errorf("no price: %d %s", p.status, p.body)
	}
	for range 2 { // the second time there is nothing left to list
		ben.send("/courses/sell", "key", key, "price-"+ref, "12.50", "condition-"+ref, "Good", "edition-"+ref, "3")
	}
	if p := ben.open("/mine"); strings.Count(p.body, "<h3>") != 1 || !strings.Contains(p.body, "12.50") || !strings.Contains(p.body, "CSC 172") {
		t.Errorf("listed %s", p.body)
	}
	if p := ben.send("/courses/remove", "id", id, "university", "Campus", "term", "2026-fall"); !strings.Contains(p.body, "Find your courses below") {
		t.Errorf("after the removal: %s", p.body)
	}
	if p := dean.send("/dashboard/courses/remove", "university", "campus", "term", "2026 FALL"); strings.Contains(p.body, "<h2>Campus · 2026-fall") {
		t.Errorf("after the removal: %s", p.body)
	}
}

func TestAFileOfCoursesWithErrorsIsOnlyStoredWithoutThem(t *testing.T) {
	c := newCampus(t)
	dean, ben := c.staff("dean", user.Admin), c.student("ben")
	file := "course,title,isbn,name,edition\nCSC 172,,9780262033849,Algorithms,3\nART 1,,,,\n"
	w := dean.sendCourses(file, "university", "Campus", "term", "2026-fall")
	if body := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(body, "Line 2") || !strings.Contains(body, "<code>isbn</code>") || !strings.Contains(body, "1 line is right.") || !strings.Contains(body, `value="2026-fall"`) {
		t.Errorf("%d %s", w.Code, body)
	}
	if p := dean.open("/dashboard/courses"); strings.Contains(p.body, "<h2>Campus") {
		t.Errorf("stored %s", p.body)
	}
	for _, bad := range [][2]string{{"", "2026-fall"}, {file, ""}, {file, strings.Repeat("x", 41)}, {"x", "2026-fall"}} {
		if w := dean.sendCourses(bad[0], "university", "Campus", "term", bad[1], "skip", "yes"); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `role="alert"`) {
			t.Errorf("%q: %d %s", bad, w.Code, w.Body)
		}
	}
	if w := dean.sendCourses(file, "university", "Campus", "term", "2026-fall", "skip", "yes"); w.Code != http.StatusSeeOther {
		t.Errorf("without the wrong lines: %d", w.Code)
	}
	if w := ben.sendCourses(file, "university", "Campus", "term", "2026-fall"); w.Code != http.StatusForbidden {
		t.Errorf("a student uploads: %d", w.Code)
	}
	if p := dean.open("/dashboard/courses"); !strings.Contains(p.read(), "<h2>Campus · 2026-fall") || !strings.Contains(p.body, "1 course") {
		t.Errorf("stored %s", p.body)
	}
}
