package web_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

// sidebar is the list of the sections of a page.
var sidebar = regexp.MustCompile(`(?s)<nav class="sections".*?</nav>`)

func TestTheSidebarCountsWhatWaitsForAnAdmin(t *testing.T) {
	c := newCampus(t)
	ada, ben, adam := c.student("Ada"), c.student("Ben"), c.staff("Adam", user.Admin)
	nothing := sidebar.FindString(adam.open("/dashboard").body)
	if nothing == "" || strings.Contains(nothing, `class="count"`) {
		t.Errorf("nothing waits: %s", nothing)
	}
	for _, name := range []string{"Algebra", "Geometry", "Topology"} {
		ben.buys(ada.offers(name, "20"))
	}
	adam.step("confirm", adam.open("/dashboard/orders?search=Topology"))
	ben.send("/report", "book", ada.offers("Logic", "10"), "reason", "wrong").shows(200)
	for _, path := range []string{"/dashboard", "/dashboard/orders/queue", "/dashboard/reports", "/dashboard/people"} {
		p := adam.open(path)
		all := sidebar.FindString(p.body)
		for _, want := range []string{`<span>Menu</span> <span class="count"><span aria-hidden="true">4<`, `Work queue <span class="count"><span aria-hidden="true">3<`, `Reports <span class="count"><span aria-hidden="true">1<`} {
			if !strings.Contains(all, want) {
				t.Errorf("%s lacks %s: %s", path, want, all)
			}
		}
		if strings.Count(all, "aria-current") != 1 || !strings.Contains(all, `href="`+path+`" aria-current="page"`) {
			t.Errorf("%s is not the current page of %s", path, all)
		}
	}
	adam.open("/dashboard/orders/queue").shows(200, `aria-current="page">To check <span class="count"><span aria-hidden="true">3<`, `To answer <span class="count"><span aria-hidden="true">1<`)
	adam.open("/dashboard/people/invite").shows(200, `href="/dashboard/people" aria-current="true"`)
}

func TestTheSidebarOfAnAdminOfOneCampusCountsThatCampusOnly(t *testing.T) {
	c := newOneCampusAdmins(t)
	zoe := c.studentAt("Elsewhere", "Zoe")
	c.studentAt("Elsewhere", "Yves").buys(zoe.offers("Botany", "10"))
	dean, owner := c.staff("Dean", user.Admin), c.staff("Olga", user.Owner)
	owner.open("/dashboard").shows(200, `Work queue <span class="count"><span aria-hidden="true">1<`)
	if all := sidebar.FindString(dean.open("/dashboard").body); all == "" || strings.Contains(all, `class="count"`) {
		t.Errorf("the dean sees what waits elsewhere: %s", all)
	}
}
