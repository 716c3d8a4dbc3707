package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
)

func TestTheFormsOfAnAdminOfOneCampusNameItAndStayAtIt(t *testing.T) {
	c := newOneCampusAdmins(t)
	lea, dean, olga := c.staffAt("École de Lyon", "Lea", user.Admin), c.staff("Dean", user.Admin), c.staff("Olga", user.Owner)
	const own, hint = `name="university" type="text" value="École de Lyon"`, "You look after this university."
	for _, path := range []string{"/dashboard/desks", "/dashboard/desks?university=Campus", "/dashboard/places", "/dashboard/courses"} {
		lea.open(path).shows(200, own, " readonly", hint)
		olga.open(path).shows(200, `name="university"`).lacks(" readonly", hint)
	}
	place := []string{"university", "École de Lyon", "name", "Library", "place", "Hall 1", "hours", "8–20"}
	lea.send("/dashboard/desks", place...).shows(200, "Hall 1")
	lea.open("/dashboard/desks").shows(200, own, `value="Hall 1"`) // the only one
	lea.send("/dashboard/places", place...).shows(200, "Library")
	lea.send("/dashboard/places", "university", "ECOLE de Lyon", "name", "").shows(400, `value="ECOLE de Lyon"`, " readonly")
	lea.lang = "fr"
	lea.open("/dashboard/places").shows(200, "Vous vous occupez de cette université.")

	for _, path := range []string{"/dashboard/desks", "/dashboard/places"} {
		dean.open(path).lacks("Library", "Hall 1", "<h2>École")
		dean.send(path, place...).shows(403, "This does not belong to your university.", `value="8–20"`, `name="university" type="text" value="Campus"`)
	}
	dean.send("/dashboard/desks/remove", "id", "École de Lyon").shows(403)
	id := after(t, olga.open("/dashboard/places").shows(200, "Library").body, "/dashboard/places?id=")
	dean.open("/dashboard/places?id=" + id).shows(403).lacks("Library")
	dean.send("/dashboard/places", "id", id, "university", "Campus", "name", "Gate", "hours", "x").shows(403)
	dean.send("/dashboard/places/remove", "id", id).shows(403)
	if w := dean.sendCourses("course,title,name\nCSC 172,x,y\n", "university", "École de Lyon", "term", "2026-fall"); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), `value="2026-fall"`) {
		t.Errorf("courses of another university: %d %s", w.Code, w.Body)
	}
	lea.open("/dashboard/places").shows(200, "Library")
}

func TestAnAdminOfOneCampusSeesNeitherPhotosNorReportsOfAnother(t *testing.T) {
	c := newOneCampusAdmins(t)
	zoe, bob := c.studentAt("Elsewhere", "Zoe"), c.student("Bob")
	lea, dean := c.staffAt("Elsewhere", "Lea", user.Admin), c.staff("Dean", user.Admin)
	id, drawn := zoe.offers("Botany", "10"), zoe.offers("Algebra", "10")
	cover := zoe.coverOf(drawn)
	thumb := photoPaths.FindString(zoe.sendFiles(id, string(fake.Picture)).body)
	_, talk := bob.talk(drawn, "a secret of two")
	bob.send("/report", "conversation", talk, "reason", "abuse", "text", "Not nice.").shows(200)
	for _, book := range []string{id, drawn} {
		zoe.send("/mine/unlist", "id", book)
	}
	for _, path := range []string{"/book?id=" + id, "/book?id=" + drawn, cover, thumb, strings.TrimSuffix(thumb, "/thumb")} {
		if w := dean.exchange(http.MethodGet, path, url.Values{}); w.Code != http.StatusNotFound {
			t.Errorf("%s answers an admin of another campus %d", path, w.Code)
		}
		if w := lea.exchange(http.MethodGet, path, url.Values{}); w.Code != http.StatusOK {
			t.Errorf("%s answers the admin of the campus %d", path, w.Code)
		}
	}
	dean.open("/dashboard/reports").shows(200).lacks("Not nice.", "Zoe")
	report := after(t, lea.open("/dashboard/reports").shows(200, "Not nice.").body, "/dashboard/reports/report?id=")
	lea.open("/dashboard/reports/report?id="+report).shows(200, "a secret of two")
	for _, path := range []string{"report?id=", "decide?action=warn&id="} {
		dean.open("/dashboard/reports/"+path+report).shows(403, "This does not belong to your university.").lacks("a secret", "Zoe")
	}
	dean.send("/dashboard/reports/decide", "id", report, "action", "suspend", "note", "x").shows(403)
}
