package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/user"
)

func newOneCampusAdmins(t *testing.T) *campus {
	return newCampusBehind(t, func(_ *authrooms.Ports, c *auth.Config) { c.CampusAdmins = true }, nil)
}

func TestTheDashboardOfACampusIsThatOfItsAdmin(t *testing.T) {
	c := newOneCampusAdmins(t)
	c.studentAt("Elsewhere", "Zoe").offers("Botany", "10")
	c.student("Ann").offers("Topology", "10")
	dean, owner := c.staff("Dean", user.Admin), c.staff("Olga", user.Owner)
	p := dean.open("/dashboard").shows(200, "You look after Campus.")
	if strings.Contains(p.body, `name="university"`) || strings.Contains(p.body, "Show all universities") {
		t.Error("the dean is offered other universities")
	}
	if dean.lang = "fr"; !strings.Contains(dean.open("/dashboard").body, "Campus") {
		t.Error("the French dashboard does not name the campus")
	}
	dean.lang = "en"
	dean.open("/dashboard?university=Elsewhere").shows(403, "This does not belong to your university.")
	owner.open("/dashboard?university=Elsewhere").shows(200, "Only the books and people of Elsewhere.", "Show all universities", `name="university"`)
}

func TestANameWithoutLettersIsNotEveryUniversityOnTheDashboard(t *testing.T) {
	c := newOneCampusAdmins(t)
	c.student("Ann").offers("Topology", "10")
	owner := c.staff("Olga", user.Owner)
	posted := func(n string) string { return `<th scope="row">Books posted</th><td>` + n + `</td>` }
	owner.open("/dashboard").shows(200, posted("1"))
	owner.open("/dashboard?university=%21%21").shows(200, "Only the books and people of !!.", posted("0"))
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

// No page for admins shows the students of another campus, whatever ids it is given.
func TestNoPageShowsAnAdminTheStudentsOfAnotherCampus(t *testing.T) {
	c := newOneCampusAdmins(t)
	zoe, yves := c.studentAt("Elsewhere", "Zoe"), c.studentAt("Elsewhere", "Yves")
	book := zoe.offers("Botany", "10")
	yves.buys(book)
	dean, owner := c.staff("Dean", user.Admin), c.staff("Olga", user.Owner)
	u, err := c.Store.Identity.FindUserByEmail(t.Context(), "zoe@campus.edu")
	if err != nil {
		t.Fatal(err)
	}
	_, order := yves.order()
	private := func(v *visit, path string) bool {
		body := v.exchange(http.MethodGet, path, url.Values{}).Body.String()
		return strings.Contains(body, "zoe@") || strings.Contains(body, "yves@") || strings.Contains(body, "pay-Zoe")
	}
	shown := 0
	for _, r := range c.pages.Routes() {
		if r.Method != http.MethodGet || !strings.HasPrefix(r.Path, "/dashboard") && !strings.HasPrefix(r.Path, "/order") {
			continue
		}
		for _, id := range []string{book, order, u.ID.String(), "1"} {
			path := placeholder.ReplaceAllLiteralString(r.Path, id) + "?id=" + id + "&book=" + id + "&order=" + id + "&university=Elsewhere&search=zoe&status=1"
			if private(dean, path) {
				t.Errorf("%s shows the dean a student of another campus", path)
			}
			if private(owner, path) {
				shown++
			}
		}
	}
	if shown < 8 {
		t.Errorf("%d pages show an owner the student, want some: or this test proves nothing", shown)
	}
}

func TestTheBookOfACampusIsShownThoughPeopleOfAnotherWantIt(t *testing.T) {
	c := newOneCampusAdmins(t)
	ann, zoe, dean := c.student("Ann"), c.studentAt("Elsewhere", "Zoe"), c.staff("Dean", user.Admin)
	zoe.send("/wanted", "name", "Topology", "course", "MATH 165").shows(200)
	book := ann.offers("Topology", "10")
	dean.open("/dashboard/books/book?id="+book).shows(200, "Matching requests", "Topology · MATH 165", ">ann@campus.edu</a>").lacks("zoe@campus.edu")
	zoe.buys(book)
	p := dean.open("/dashboard/books/book?id="+book).shows(200, "Ordered", "· Zoe")
	if regexp.MustCompile(`<a [^>]*>Zoe</a>`).MatchString(p.body) {
		t.Error("the page leads to somebody whom the dean may not see")
	}
}

func TestTheAdminsOfAReportReachWhoHasMoved(t *testing.T) {
	c := newOneCampusAdmins(t)
	ann, bob := c.student("Ann"), c.student("Bob")
	dean, dora := c.staff("Dean", user.Admin), c.studentAt("Elsewhere", "Dora")
	c.promote("dora@campus.edu", user.Admin)
	book := ann.offers("Topology", "10")
	bob.send("/report", "book", book, "reason", "wrong").shows(200)
	ann.send("/account", "firstName", "Ann", "lastName", "Doe", "university", "Elsewhere", "campusMailbox", "1", "paymentUsername", "ann").shows(200)
	reports := dean.open("/dashboard/reports").shows(200, "Topology")
	person := dean.open(dean.open(reports.link("Topology")).shows(200, "Suspend the person").link("Ann")).
		shows(200, "Elsewhere", "ann@campus.edu", "Suspension", "Not as described").lacks("Sign them out everywhere")
	dean.open("/dashboard/books/book?id="+book).shows(200, "Topology")
	dora.open("/dashboard/reports").shows(200).lacks("Topology")
	dora.open(person.at).shows(200, "ann@campus.edu", "Sign them out everywhere").lacks("Not as described")
	id := person.hidden("id")
	dean.send("/dashboard/people/suspend", "id", id, "reason", "Fraud,\r\nonce more.", "back", person.at).shows(200, "Lift the suspension")
	dean.send("/dashboard/people/unsuspend", "id", id, "back", person.at).shows(200)
	bob.open("/dashboard/people/person?id=" + id).shows(403)
	dean.send("/dashboard/reports/decide", "id", strings.TrimPrefix(reports.link("Topology"), "/dashboard/reports/report?id="), "action", "suspend", "note", "Fraud.").
		shows(200, "The decision is stored")
}
