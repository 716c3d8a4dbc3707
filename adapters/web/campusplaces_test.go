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
	if w := dean.sendCourses("course,title,name\nCSC 172,x,y\n", "university", "École de Lyon", "term", "2026-fall"); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), `value="2026-fall"`) {
		t.Errorf("courses of another university: %d %s", w.Code, w.Body)
	}
}

func TestAnAdminOfOneCampusSeesNoHiddenBooksNorPhotosOfAnother(t *testing.T) {
	c := newOneCampusAdmins(t)
	zoe := c.studentAt("Elsewhere", "Zoe")
	lea, dean := c.staffAt("Elsewhere", "Lea", user.Admin), c.staff("Dean", user.Admin)
	id, drawn := zoe.offers("Botany", "10"), zoe.offers("Algebra", "10")
	cover := zoe.coverOf(drawn)
	thumb := photoPaths.FindString(zoe.sendFiles(id, string(fake.Picture)).body)
	for _, book := range []string{id, drawn} {
		zoe.send("/mine/unlist", "id", book)
	}
	for _, path := range []string{"/book?id=" + id, cover, thumb, strings.TrimSuffix(thumb, "/thumb")} {
		for v, want := range map[*visit]int{dean: http.StatusNotFound, lea: http.StatusOK} {
			if w := v.exchange(http.MethodGet, path, url.Values{}); w.Code != want {
				t.Errorf("%s: %d, want %d", path, w.Code, want)
			}
		}
	}
}
