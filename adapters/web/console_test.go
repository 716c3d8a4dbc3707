package web_test

import (
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func TestTheAuditLogIsReadableAndCanBeFiltered(t *testing.T) {
	c := newCampus(t)
	ada, olga := c.student("Ada"), c.staff("Olga", user.Owner)
	id := olga.open("/dashboard/people?search=ada").hidden("id")
	olga.send("/dashboard/people/promote", "id", id, "back", "/dashboard/people").shows(200)
	ada.offers("Old", "5")
	day := c.Clock.Now().UTC().Format(time.DateOnly)
	tomorrow := c.Clock.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	const row = `<th scope="row">`
	olga.open("/dashboard/audit").shows(200, ">Changed a role</td>", ">Confirmed an address</td>", `<a href="/dashboard/people/person?id=`+id+`">Ada Doe</a><br><small class="muted">ada@campus.edu</small>`)
	for query, want := range map[string]int{
		"action=user.role_set":                            2,
		"action=user.role_set&person=ada@campus.edu":      1,
		"action=user.role_set&person=ADA@CAMPUS.EDU":      1,
		"action=user.role_set&person=ada+doe":             1,
		"action=user.role_set&person=" + id:               1,
		"action=user.role_set&from=" + day:                2,
		"action=user.role_set&to=" + day:                  2,
		"action=user.role_set&to=1+Jan+2001":              0,
		"action=user.role_set&from=" + tomorrow:           0,
		"action=user.role_set&to=2001-01-01":              0,
		"action=user.suspended":                           0,
		"action=user.role_set&from=" + day + "&to=" + day: 2,
	} {
		p := olga.open("/dashboard/audit?" + query).shows(200)
		if got := strings.Count(p.body, row); got != want {
			t.Errorf("%s: %d entries, want %d", query, got, want)
		}
		if want == 0 {
			p.shows(200, "No entries match.")
		}
	}
	olga.open("/dashboard/audit?person=nobody@campus.edu").shows(400, "No account has this name or address.", "<title>Error: ").lacks(row)
	olga.open("/dashboard/audit?from=soon").shows(400, "2026-09-07", `value="soon"`).lacks(row)
	_, _, err := c.Clients.Add(t.Context(), user.Caller{ID: user.OperatorID, Role: user.Owner}, openid.Client{Name: "Reader", RedirectURIs: []string{"https://reader.example.edu/back"}, IDTokenAlg: openid.ES512})
	must.Do(t, err)
	olga.open("/dashboard/audit?action=client.added").shows(200, `data-label="Actor">Command line</td>`)
	olga.lang = "fr"
	olga.open("/dashboard/audit?action=user.role_set").shows(200, "Rôle modifié</td>")
}

func TestOldBooksAreNamedBeforeTheyAreUnlisted(t *testing.T) {
	c := newCampus(t)
	ada, olga := c.student("Ada"), c.staff("Olga", user.Owner)
	ada.offers("Linear Algebra", "5")
	ada.offers("Organic Chemistry", "7.50")
	olga.open("/dashboard/tidy?days=0").shows(200, "2 books would be unlisted", ">Linear Algebra</a>", ">Organic Chemistry</a>", "$7.50", "Unlist these books")
}

func TestAdminsExportBooksAndPeopleFromTheirLists(t *testing.T) {
	c := newCampus(t)
	olga := c.staff("Olga", user.Admin)
	for page, link := range map[string]string{
		"/dashboard/books?status=5":    "/dashboard/books.csv?status=5",
		"/dashboard/people?search=ada": "/dashboard/people.csv?search=ada",
	} {
		olga.open(page).shows(200, `href="`+link+`" download`)
		to := strings.NewReplacer("/dashboard/books.csv?", "/api/dashboard/exportBooks?for=spreadsheet&", "/dashboard/people.csv?", "/api/dashboard/exportUsers?for=spreadsheet&").Replace(link)
		if w := olga.exchange("GET", link, nil); w.Code != 303 || w.Header().Get("Location") != to {
			t.Errorf("%s: %d to %s", link, w.Code, w.Header().Get("Location"))
		}
		if p := c.student("Bob" + page[11:12]).open(link); p.status != 403 {
			t.Errorf("a student at %s: %d", link, p.status)
		}
	}
}

func TestTheDashboardComparesAPeriodWithTheOneBefore(t *testing.T) {
	c := newCampus(t)
	ada, ben, olga := c.student("Ada"), c.student("Ben"), c.staff("Olga", user.Admin)
	day := func(ago int) string { return c.Clock.Now().UTC().AddDate(0, 0, -ago).Format(time.DateOnly) }
	first := ada.offers("First", "5")
	ada.offers("Second", "5")
	c.Clock.Advance(10 * 24 * time.Hour)
	for name, v := range map[string]*visit{"ada": ada, "ben": ben, "olga": olga} {
		v.send("/login", "email", name+"@campus.edu", "password", "correct horse battery").shows(200)
	}
	ada.offers("Third", "5")
	ben.buys(first)
	row := func(what, now, before, change string) string {
		return `<th scope="row">` + what + `</th><td>` + now + `</td><td>` + before + `</td><td>` + change + `</td>`
	}
	olga.open("/dashboard?days=10").shows(200, row("Books posted", "1", "2", "−50%"), row("Books sold", "1", "0", "–"),
		`name="from" type="date" value="`+day(9)+`"`, `name="to" type="date" value="`+day(0)+`"`, `<rect class="before"`, `<p class="scale muted"><span>2</span><span>1</span><span>0</span></p>`)
	olga.open("/dashboard?from="+day(10)+"&to="+day(10)).shows(200, row("Books posted", "2", "0", "–"))
	olga.open("/dashboard").shows(200, row("Books posted", "3", "0", "–"), "Counted on ", "The figures may be a minute old.")
	olga.open("/dashboard?from=yesterday").shows(400, "<title>Error: ", "Must be a day such as", `value="yesterday"`)
	olga.open("/dashboard?from="+day(0)+"&to="+day(5)).shows(400, "The period must have 1 to 366 days")

	olga.open("/dashboard?days=10&university=no+such+place").shows(200, "Only the books and people of no such place.",
		row("Books posted", "0", "0", "–"), `href="/dashboard?days=30&university=no%20such%20place"`)
	sorted := olga.open("/dashboard?days=11&sort=-posted").shows(200, `aria-sort="descending"`, `<details id="daily" open>`)
	_, daily, _ := strings.Cut(sorted.body, `<details id="daily"`)
	rows := strings.Split(daily, "<tr>")
	if !strings.Contains(rows[2], `">2 <small>`) || !strings.Contains(rows[3], `">1 <small>`) {
		t.Errorf("the busiest days are %s and %s", rows[2], rows[3])
	}
}

func TestAnOwnerSeesWhyBackgroundWorkFailsAndTriesItAgain(t *testing.T) {
	c := newCampus(t)
	olga := c.staff("Olga", user.Owner)
	olga.open("/dashboard/work").shows(200, "Nothing has failed.")
	c.addJobs(job.Job{ID: 7, Kind: "forget_hits", Subject: 8, Attempts: 8, Dead: true, Error: "no such <column>", DueAt: c.Clock.Now()},
		job.Job{ID: 9, Kind: "match_book", Subject: 5, Attempts: 1, Error: "busy", DueAt: c.Clock.Now().Add(time.Hour)},
		job.Job{ID: 11, Kind: "delete_expired", Attempts: 9, Error: "no disk", DueAt: c.Clock.Now(), Periodic: true})
	olga.open("/dashboard/work").shows(200, "forget_hits", `no such <column>`, "<strong>given up</strong>", "8 failed attempts", "1 failed attempt", "no disk")
	olga.send("/dashboard/work/drop", "id", "9").shows(200, "Drop this work?", `name="id" value="9"`)
	olga.open("/dashboard/work").shows(200, "busy")
	olga.send("/dashboard/work/drop", "id", "9", "sure", "yes").shows(200, "It was dropped").lacks("busy")
	olga.send("/dashboard/work/drop", "id", "11", "sure", "yes").shows(200, "no disk") // periodic
	olga.send("/dashboard/work/retry", "id", "7").shows(200, "It is tried again.").lacks("no such")
	olga.send("/dashboard/work/retry", "id", "7777").shows(200)
	olga.lang = "fr"
	olga.open("/dashboard/work").shows(200, "Tâches de fond", "9 tentatives échouées")
	adam := c.staff("Adam", user.Admin)
	adam.open("/dashboard/work").shows(403)
	adam.send("/dashboard/work/retry", "id", "7").shows(403)
}

// addJobs adds jobs to the queue of background work.
func (c *campus) addJobs(all ...job.Job) {
	c.t.Helper()
	err := c.db.Atomically(c.t.Context(), func(tx *gorm.DB) error {
		for _, j := range all {
			if err := workstore.AddJob(tx.Statement.Context, tx, j); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

func TestTheAuditLogNamesPeopleAndBooks(t *testing.T) {
	c := newCampus(t)
	ada, ben, adam, olga := c.student("Ada"), c.student("Ben"), c.staff("Adam", user.Admin), c.staff("Olga", user.Owner)
	id := ada.offers("Linear <Algebra>", "40")
	ben.buys(id)
	adam.step("confirm", adam.open("/dashboard/orders?search=linear"))
	adam.send("/dashboard/orders/confirm", "id", id, "back", "/dashboard/orders").shows(200)
	olga.open("/dashboard/audit?action=order.confirmed").shows(200, `<a href="/dashboard/books/book?id=`+id+`">Linear <Algebra></a>`, ">Adam Doe</a>", `data-label="Actor"`)
	olga.open("/dashboard/audit?person=Adam+Doe").shows(200, ">Adam Doe</a>")
	olga.open("/dashboard/audit?person=Nobody+Doe").shows(400, "No account has this name or address.")
}
