package marketstore_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/push"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

// tablesOf lists the tables of a database.
func tablesOf(t *testing.T, db *gormstore.DB) (names []string) {
	t.Helper()
	query := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if db.Dialect == gormstore.Postgres {
		query = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
	}
	must.Do(t, db.Read.Raw(query).Scan(&names).Error)
	return names
}

// marked returns the tables with a row in which the mark stands, and that row.
func marked(t *testing.T, db *gormstore.DB, mark string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, name := range tablesOf(t, db) {
		var rows []map[string]any
		must.Do(t, db.Read.Raw(`SELECT * FROM "`+name+`"`).Scan(&rows).Error)
		for _, row := range rows {
			if text := strings.ToLower(fmt.Sprintf("%s", row)); strings.Contains(text, mark) {
				found[name] = text
			}
		}
	}
	return found
}

// settleMails ends half of the waiting mails.
func settleMails(t *testing.T, db *gormstore.DB, now time.Time) {
	t.Helper()
	o := outboxstore.NewOutbox(db, plain{})
	for range 3 {
		claimed, _ := must.Get2(o.ClaimMessages(t.Context(), now.Add(time.Hour), now.Add(2*time.Hour), 2))(t)
		var results []mailer.Result
		for i, m := range claimed {
			results = append(results, mailer.Result{Message: m, Outcome: []mailer.Outcome{mailer.Sent, mailer.Dead}[i%2]})
		}
		must.Do(t, o.SettleMessages(t.Context(), now, results))
	}
}

func TestNothingOfAnErasedPersonIsLeftInAnyTable(t *testing.T) {
	t.Parallel()
	for engine, open := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db := open(t, migrations...)
			b := contract.NewMarketFixture(backend(db))
			const mark = "zqxmark"
			ann, bob, dean := b.Join(t, "Zqxmark", user.Regular), b.Join(t, "Bob", user.Regular), b.Join(t, "Dean", user.Admin)
			typed := leaveMarks(t, b, mark, ann, bob, dean)
			settleMails(t, db, b.Clock.Now())
			checkAllWritten(t, db)
			own := exportOf(t, b, ann)
			for _, text := range typed {
				if !strings.Contains(own, text) {
					t.Errorf("the export of the person who has typed %q does not have it", text)
				}
			}
			if found := marked(t, db, mark); len(found) < 8 {
				t.Fatalf("the marks stand in %v alone", found)
			}
			b.DeleteUser(t, ann)
			for table, row := range marked(t, db, mark) {
				t.Errorf("%s still has %s", table, row)
			}
			for _, of := range []user.Caller{bob, dean} {
				if text := exportOf(t, b, of); strings.Contains(strings.ToLower(text), mark) {
					t.Errorf("somebody's export has %s", text)
				}
			}
			b.CheckLedger(t)
		})
	}
}

// exportOf returns what a person downloads.
func exportOf(t *testing.T, b *contract.MarketFixture, of user.Caller) string {
	t.Helper()
	exported := must.Get(rooms.NewExport(b.Ports, money.Currency{}).ExportData(t.Context(), of.ID, 1000))(t)
	return string(must.Get(json.Marshal(exported))(t))
}

// unwritten are the tables into which leaveMarks does not write, with who else writes there.
var unwritten = map[string]string{
	"photos": "pictures, whose files leave with them", "report_photos": "as photos", "idempotency_keys": "hashes, for a day", "saved_search_hits": "ids",
	"course_lists": "admins, of courses", "courses": "admins, of courses", "course_choices": "ids",
	"desks": "admins, of a desk", "meeting_places": "admins, of places", "meetings": "names of these places", "handover_tries": "times",
}

// ownTables are the tables of the market, those of the index of searches apart.
func ownTables(t *testing.T) (names []string) {
	t.Helper()
	files := must.Get(filepath.Glob("sqlite/*.sql"))(t)
	for _, file := range files {
		for _, found := range createTable.FindAllSubmatch(must.Get(os.ReadFile(file))(t), -1) {
			names = append(names, string(found[1]))
		}
	}
	return names
}

var createTable = regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`)

// checkAllWritten fails the test for tables of which it would show nothing.
func checkAllWritten(t *testing.T, db *gormstore.DB) {
	t.Helper()
	for _, name := range ownTables(t) {
		var rows []map[string]any
		must.Do(t, db.Read.Raw(`SELECT * FROM "`+name+`" LIMIT 1`).Scan(&rows).Error)
		if _, listed := unwritten[name]; listed != (len(rows) == 0) {
			t.Errorf("%s has %d rows: let leaveMarks write into it, or say in unwritten why it cannot", name, len(rows))
		}
	}
}

// leaveMarks lets ann write the mark wherever a person can write something, and returns what was typed.
func leaveMarks(t *testing.T, b *contract.MarketFixture, mark string, ann, bob, dean user.Caller) (all []string) {
	t.Helper()
	typed := func(what string) string {
		all = append(all, what+mark)
		return what + mark
	}
	draft := func(name string) book.Draft {
		d := contract.Draft(name, "MTH 161", 1000)
		d.Comments = typed("A comment of ")
		return d
	}
	listed, sold, theirs, delivered := b.Post(t, ann, draft("Calculus")), b.Post(t, ann, draft("Algebra")), b.Post(t, bob, contract.Draft("Physics", "PHY 121", 1000)), b.Post(t, ann, draft("Zoology"))
	b.Buy(t, bob, sold.ID)
	purchase := b.Buy(t, ann, theirs.ID).Orders[0]
	must.Get(b.Orders.Withdraw(t.Context(), ann, purchase.ID, typed("The reason of ")))(t)
	done := b.Buy(t, bob, delivered.ID).Orders[0]
	must.Get(b.Orders.Confirm(t.Context(), dean, delivered.ID))(t)
	must.Get(b.Orders.SetPaid(t.Context(), dean, delivered.ID))(t)
	must.Do(t, b.Trust.Rate(t.Context(), ann, done.ID, true, typed("A rating by ")))
	b.Request(t, ann, book.RequestDraft{Name: "Wanted by " + mark, Course: "BIO 110"})
	must.Get(b.SavedSearches.Save(t.Context(), ann, savedsearch.Draft{Query: "searched by " + mark}, true))(t)
	must.Get(b.Conversations.Send(t.Context(), ann, talking.Addressee{Book: theirs.ID}, typed("A message of ")))(t)
	must.Get(b.Conversations.Send(t.Context(), bob, talking.Addressee{Book: listed.ID}, "Is it there?"))(t)
	must.Get(b.Offers.Make(t.Context(), ann, b.Post(t, bob, contract.Draft("Botany", "BIO 110", 1000)).ID, 800, typed("An offer of ")))(t)
	must.Get(b.PushSubscriptions.Add(t.Context(), ann, push.Draft{
		Endpoint: "https://push.example.net/" + mark,
		Keys:     push.Keys{P256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", Auth: "BTBZMqHH6r4Tts7J_aSIgg"},
	}))(t)
	for who, about := range map[user.Caller]user.ID{ann: bob.ID, bob: ann.ID} {
		text := "Something about them"
		if who == ann {
			text = typed("A report by ")
		}
		must.Get(b.Reports.Add(t.Context(), who, guarding.ReportDraft{Targets: []report.Target{{Kind: report.Person, ID: int64(about)}}, Reason: report.Abuse, Text: text}))(t)
	}
	must.Do(t, b.Imports.Prepare(t.Context(), ann, []byte("name,course,edition,price,condition,date\nA line of "+mark+",MTH 161,1,10,Good,2026-12-07\nA wrong line of "+mark+",,,,,\n"), pasted.AnyOrder))
	must.Do(t, b.Blocks.Block(t.Context(), ann, dean.ID))
	must.Do(t, b.PushSubscriptions.SetQuiet(t.Context(), ann, push.Quiet{From: 60, To: 120}))
	must.Do(t, b.Carts.Add(t.Context(), bob, listed.ID))
	b.RunAllJobs(t)
	return all
}
