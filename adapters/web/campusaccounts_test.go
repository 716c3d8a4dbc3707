package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
)

// staffAt is staff at another university.
func (c *campus) staffAt(university, name string, role user.Role) *visit {
	c.t.Helper()
	v := c.studentAt(university, name)
	if _, err := c.Users.Promote(c.t.Context(), strings.ToLower(name)+"@campus.edu", role); err != nil {
		c.t.Fatal(err)
	}
	return v
}

func (c *campus) idOf(name string) string {
	c.t.Helper()
	u, err := c.Store.Identity.FindUserByEmail(c.t.Context(), user.Email(strings.ToLower(name)+"@campus.edu"))
	if err != nil {
		c.t.Fatal(err)
	}
	return u.ID.String()
}

func TestTheDashboardOfAnAdminOfOneCampusHasItsPeopleAlone(t *testing.T) {
	c := newOneCampusAdmins(t)
	lea, olga := c.staffAt("École de Lyon", "Lea", user.Admin), c.staffAt("Grenoble", "Olga", user.Owner)
	c.studentAt("ecole de lyon", "Ann")
	c.studentAt("Grenoble", "Carl")
	lea.open("/dashboard/people").shows(200, "You look after École de Lyon.", "ann@campus.edu", "lea@campus.edu").lacks("carl@", "olga@", "Audit log", "/dashboard/applications", "/dashboard/tidy", "/webhooks")
	lea.open("/dashboard/people?search=carl").shows(200, "No results.")
	lea.open("/dashboard/people?search=doe").shows(200, "ann@campus.edu").lacks("carl@")
	lea.open("/dashboard/people/person?id="+c.idOf("Ann")).shows(200, "Ann Doe", "Sign out everywhere", "Suspend")
	lea.open("/dashboard/people/person?id="+c.idOf("Carl")).shows(403, "does not belong to your university").lacks("carl@")
	lea.lang = "fr"
	lea.open("/dashboard/people").shows(200, "Vous vous occupez de : École de Lyon.")
	lea.open("/dashboard/people/person?id="+c.idOf("Carl")).shows(403, "ne relève pas de votre université")
	olga.open("/dashboard/people").shows(200, "ann@campus.edu", "carl@campus.edu").lacks("You look after")
	unbound := newCampus(t)
	unbound.studentAt("Grenoble", "Carl")
	unbound.staffAt("Lyon", "Lea", user.Admin).open("/dashboard/people").shows(200, "carl@campus.edu").lacks("You look after")
}

func TestAnAdminOfOneCampusChoosesNoUniversityOfTheStatistics(t *testing.T) {
	c := newOneCampusAdmins(t)
	lea, olga := c.staffAt("Lyon", "Lea", user.Admin), c.staffAt("Lyon", "Olga", user.Owner)
	lea.open("/dashboard").shows(200, "You look after Lyon.").lacks("Show all universities", `name="university"`)
	lea.open("/dashboard?university=Lyon&from=2026-09-01&to=2026-09-02").shows(200, `value="2026-09-01"`, `value="2026-09-02"`).lacks("Show all universities")
	olga.open("/dashboard?university=Lyon").shows(200, "Show all universities", `name="university"`).lacks("You look after")
}

func TestTheUniversityOfAnAdminOfOneCampusIsFixed(t *testing.T) {
	c := newOneCampusAdmins(t)
	lea, ann := c.staffAt("Lyon", "Lea", user.Admin), c.studentAt("Lyon", "Ann")
	const fixed = "Admins stay at their university."
	lea.open("/account").shows(200, ` readonly aria-describedby="f-university-hint"`, fixed)
	ann.open("/account").shows(200, `name="university"`).lacks(" readonly", fixed)
	change := func(v *visit, university string) page {
		return v.send("/account", "firstName", "Lea", "lastName", "Doe", "university", university, "campusMailbox", "box", "paymentUsername", "pay")
	}
	change(lea, "Grenoble").shows(403, "Admins cannot change their own university")
	change(lea, "Lyon").shows(200, "Your changes are saved.")
	change(ann, "Grenoble").shows(200, "Your changes are saved.")
	lea.lang = "fr"
	lea.open("/account").shows(200, "Un administrateur reste dans son université.")
	change(lea, "Grenoble").shows(403, "ne peut pas changer d’université")
}

func TestAnAdminWithoutACampusIsToldWhatIsMissing(t *testing.T) {
	c := newOneCampusAdmins(t)
	c.CreateUser(t, "bare@campus.edu")
	site := c.visitor()
	site.send("/login", "email", "bare@campus.edu", "password", authkit.Password)
	if _, err := c.Users.Promote(t.Context(), "bare@campus.edu", user.Admin); err != nil {
		t.Fatal(err)
	}
	for _, path := range adminPages {
		site.open(path).shows(403, "your profile has none")
	}
	site.lang = "fr"
	site.open("/dashboard/people").shows(403, "votre profil n’en indique aucune")
	site.open("/account").shows(200)
}

// accountRoutes are the routes of the dashboard about accounts, and the status that an admin of
// another campus gets with the id of a person. 0: the list of the own campus, tested above.
var accountRoutes = map[string]int{
	"GET /dashboard/people": 0, "GET /dashboard/people.csv": 0, "GET /dashboard/people/invite": 0,
	"GET /dashboard/people/person": 403, "POST /dashboard/people/sessions": 403, "POST /dashboard/people/suspend": 403, "POST /dashboard/people/unsuspend": 403, "POST /dashboard/people/identity": 403,
	"POST /dashboard/people/role": 403, "POST /dashboard/people/store": 403, "POST /dashboard/people/promote": 403, "POST /dashboard/people/demote": 403,
	"POST /dashboard/people/invite":        400, // the person has an account
	"POST /dashboard/people/invite/revoke": 200, // an invitation that is not there counts as revoked
	"GET /dashboard/audit":                 403, "GET /dashboard/applications": 403, "POST /dashboard/applications": 403, "GET /dashboard/applications/application": 403,
	"POST /dashboard/applications/secret": 403, "POST /dashboard/applications/remove": 403,
}

func TestNoPageLetsAnAdminOfOneCampusReachAnother(t *testing.T) {
	c := newOneCampusAdmins(t)
	lea, carl := c.staffAt("Lyon", "Lea", user.Admin), c.studentAt("Grenoble", "Carl")
	id := c.idOf("Carl")
	walked := 0
	for _, r := range c.pages.Routes() {
		about := strings.HasPrefix(r.Path, "/dashboard/people") || strings.HasPrefix(r.Path, "/dashboard/audit") || strings.HasPrefix(r.Path, "/dashboard/applications")
		key := r.Method + " " + r.Path
		status, listed := accountRoutes[key]
		if !about || r.Method == http.MethodHead || r.Method == http.MethodGet && accountRoutes["POST "+r.Path] != 0 && !listed {
			continue // a redirect to the page with the form
		}
		if walked++; !listed {
			t.Errorf("%s is not among the routes that are attacked", key)
		}
		if status == 0 {
			continue
		}
		var p page
		if r.Method == http.MethodGet {
			p = lea.open(r.Path + "?id=" + id + "&user=" + id)
		} else {
			p = lea.send(r.Path, "id", id, "reason", "spam", "role", "user", "email", "carl@campus.edu", "back", "/dashboard/people")
		}
		if p.status != status || strings.Contains(p.body, "box-Carl") || strings.Contains(p.body, "Firefox") {
			t.Errorf("%s: %d, want %d: %s", key, p.status, status, p.body)
		}
	}
	if walked != len(accountRoutes) {
		t.Errorf("%d routes were walked, %d are listed", walked, len(accountRoutes))
	}
	carl.open("/account").shows(200, "carl@campus.edu")
}
