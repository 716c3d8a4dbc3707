package web_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
)

// staffAt is staff at another university.
func (c *campus) staffAt(university, name string, role user.Role) *visit {
	c.t.Helper()
	v := c.studentAt(university, name)
	c.promote(strings.ToLower(name)+"@campus.edu", role)
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
	lea.open("/dashboard/people/person?id="+c.idOf("Ann")).shows(200, "Ann Doe", "Sign them out everywhere", "Suspend")
	lea.open("/dashboard/people/person?id="+c.idOf("Carl")).shows(403, "does not belong to your university").lacks("carl@")
	lea.lang = "fr"
	lea.open("/dashboard/people").shows(200, "Vous vous occupez de : École de Lyon.")
	lea.open("/dashboard/people/person?id="+c.idOf("Carl")).shows(403, "ne relève pas de votre université")
	olga.open("/dashboard/people").shows(200, "ann@campus.edu", "carl@campus.edu").lacks("You look after")
	unbound := newCampus(t)
	unbound.studentAt("Grenoble", "Carl")
	unbound.staffAt("Lyon", "Lea", user.Admin).open("/dashboard/people").shows(200, "carl@campus.edu").lacks("You look after")
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
	c.promote("bare@campus.edu", user.Admin)
	for _, path := range adminPages {
		site.open(path).shows(403, "your profile has none")
	}
	site.lang = "fr"
	site.open("/dashboard/people").shows(403, "votre profil n’en indique aucune")
	site.open("/account").shows(200)
}
