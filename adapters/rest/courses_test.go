package rest_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

const courseHead = "course,title,isbn,name,edition\n"

func (w *marketFixture) uploadCourses(query, file string) *result {
	w.t.Helper()
	w.promoted("dean", user.Admin)
	return w.post("/api/dashboard/importCourses?university=Campus&term=2026-fall"+query, w.as("dean"), io.Reader(strings.NewReader(file)), header("Content-Type", "text/csv"))
}

func TestCoursesAreUploadedFoundChosenAndRequested(t *testing.T) {
	w := newMarketFixture(t)
	file := courseHead + "CSC 172,<script>alert(1)</script>,0-262-03384-4,Algorithms,3\nCSC 172,,,=cmd|' /C calc'!A0,\nMTH 165,,9780262033849,Algebra,\n"
	dry := w.uploadCourses("&dryRun=true", file).wantStatus(200, "")
	if dry.at("accepted") != 2.0 || dry.at("courses") != 1.0 || dry.at("books") != 2.0 || !strings.Contains(dry.raw, `"line":4`) || !strings.Contains(dry.raw, `"isbn":"Must be`) {
		t.Errorf("a dry run says %s", dry)
	}
	if r := w.get("/api/dashboard/getCourseLists", w.as("dean")).wantStatus(200, ""); strings.Contains(r.raw, "2026-fall") {
		t.Errorf("a dry run stored %s", r)
	}
	w.uploadCourses("", file).wantStatus(200, "")
	lists := w.get("/api/dashboard/getCourseLists", w.as("dean")).wantStatus(200, "")
	if !strings.Contains(lists.raw, `"term":"2026-fall"`) || !strings.Contains(lists.raw, `"books":2`) {
		t.Errorf("the lists are %s", lists)
	}
	const q = "university=campus"
	if r := w.get("/api/user/getCourseTerms?"+q, w.as("ben")).wantStatus(200, ""); !strings.Contains(r.raw, "2026-fall") {
		t.Errorf("the terms are %s", r)
	}
	found := w.get("/api/user/getCourses?query=csc&"+q, w.as("ben")).wantStatus(200, "")
	if !strings.Contains(found.raw, `\u003cscript\u003e`) || strings.Contains(found.raw, "<script>") || !strings.Contains(found.raw, `"edition":3`) || !strings.Contains(found.raw, `"ISBN":null`) {
		t.Errorf("found %s", found)
	}
	_, id, _ := strings.Cut(found.raw, `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	w.post("/api/user/setMyCourses", w.as("ben"), object{"courses": []string{id}, "university": "Campus"}).wantStatus(200, "")
	if mine := w.get("/api/user/getMyCourses?"+q, w.as("ben")).wantStatus(200, ""); !strings.Contains(mine.raw, `"forSale":0`) || !strings.Contains(mine.raw, `"lowestPrice":null`) {
		t.Errorf("mine are %s", mine)
	}
	made := w.post("/api/user/requestCourseBooks", w.as("ben"), object{"courseIds": []string{id}}).wantStatus(201, "")
	if strings.Count(made.raw, `"status":0`) != 2 || !strings.Contains(made.raw, `"skipped":[]`) {
		t.Errorf("made %s", made)
	}
	again := w.post("/api/user/requestCourseBooks", w.as("ben"), object{"courseIds": []string{id, id}}).wantStatus(201, "")
	if strings.Count(again.raw, `"reason":"requested"`) != 2 {
		t.Errorf("again: %s", again)
	}
	if used := w.get("/api/user/getUsedBooks", w.as("ben")).wantStatus(200, ""); !strings.Contains(used.raw, `"data":[]`) {
		t.Errorf("used are %s", used)
	}
	w.post("/api/dashboard/removeCourseList", w.as("dean"), object{"university": "campus", "term": "2026 FALL"}).wantStatus(200, "")
	w.refuses(refusal{"dean", "/api/dashboard/removeCourseList", object{"university": "campus", "term": "2026 FALL"}, 404, "course_list_not_found", ""})
}

func TestAnUploadOfCoursesIsRefusedInTheOrderOfTheContract(t *testing.T) {
	w := newMarketFixture(t)
	w.promoted("dean", user.Admin)
	send := func(token, media, body string) *result {
		return w.post("/api/dashboard/importCourses?university=Campus&term=x", token, io.Reader(strings.NewReader(body)), header("Content-Type", media))
	}
	send("", "text/csv", courseHead+strings.Repeat("x", 10<<20)).wantStatus(413, "body_too_large")
	send("", "application/json", courseHead).wantStatus(415, "unsupported_media_type")
	send("", "text/csv", courseHead).wantStatus(401, "unauthenticated")
	for _, file := range []string{"", "course\nCSC 172\n", courseHead + "a\x00b,,,,\n", courseHead + "\x81,,,,\n", courseHead + strings.Repeat("CSC 172,,,,\n", 10_001)} {
		send(w.as("dean"), "text/csv", file).wantStatus(400, "csv_invalid")
	}
	r := w.post("/api/dashboard/importCourses?dryRun=x&term="+strings.Repeat("x", 41), w.as("dean"), io.Reader(strings.NewReader(courseHead)), header("Content-Type", "text/csv")).wantStatus(400, "invalid_fields")
	for _, field := range []string{"university", "term", "dryRun"} {
		if !strings.Contains(r.raw, `"`+field+`":"`) {
			t.Errorf("%s is missing in %s", field, r)
		}
	}
}

func TestNobodyChoosesWhatDoesNotExist(t *testing.T) {
	w := newMarketFixture(t)
	w.uploadCourses("", courseHead+"CSC 172,,,,\n").wantStatus(200, "")
	for _, id := range noIDs {
		w.refuses(
			refusal{"ben", "/api/user/setMyCourses", object{"courses": []string{id}, "university": "Campus"}, 404, "course_not_found", ""},
			refusal{"ben", "/api/user/requestCourseBooks", object{"courseIds": []string{id}}, 404, "course_not_found", ""},
		)
	}
	w.refuses(
		refusal{"ben", "/api/user/setMyCourses", object{"courses": []string{}, "university": "Nowhere"}, 404, "course_list_not_found", ""},
		refusal{"ben", "/api/user/setMyCourses", object{"courses": slices.Repeat([]string{"1"}, 21)}, 400, "", ""},
		refusal{"ben", "/api/user/requestCourseBooks", object{"courseIds": []string{}}, 400, "course_invalid", ""},
	)
}

func TestSeveralBooksAreListedTogetherOrNotAtAll(t *testing.T) {
	w := newMarketFixture(t)
	good := object{"name": "Algebra", "edition": 3, "course": "MTH 165", "price": 12.5, "condition": "good", "date": "2026-09-01"}
	bad := object{"name": "", "edition": 0, "course": "MTH 165", "price": 0, "condition": "old", "ISBN": "9780262033849", "NAME": "x"}
	r := w.post("/api/books/postBooks", w.as("ann"), object{"books": []any{good, bad}}).wantStatus(400, "invalid_fields")
	for _, field := range []string{"name", "edition", "price", "condition", "ISBN", "date", "NAME"} {
		if !strings.Contains(r.raw, `"books[1].`+field+`":"`) {
			t.Errorf("%s is missing in %s", field, r)
		}
	}
	for _, body := range []string{`{"books":[7]}`, `{"books":[null]}`, `{"books":{}}`, `{}`, `{"books":[` + strings.Repeat(`{},`, 50) + `{}]}`} {
		w.post("/api/books/postBooks", w.as("ann"), strings.NewReader(body)).wantStatus(400, "invalid_fields")
	}
	w.post("/api/books/postBooks", w.as("ann"), object{"books": []any{}}).wantStatus(400, "")
	w.get("/api/getUsersPosts", w.as("ann")).lists()
	if r := w.post("/api/books/postBooks", w.as("ann"), object{"books": []any{good, good}}).wantStatus(201, ""); strings.Count(r.raw, `"name":"Algebra"`) != 2 {
		t.Errorf("listed %s", r)
	}
}
