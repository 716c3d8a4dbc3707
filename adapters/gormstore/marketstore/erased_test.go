package marketstore_test

import (
	"encoding/json"
	"fmt"
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
			leaveMarks(t, b, mark, ann, bob, dean)
			settleMails(t, db, b.Clock.Now())
			if found := marked(t, db, mark); len(found) < 8 {
				t.Fatalf("the marks stand in %v alone", found)
			}
			b.DeleteUser(t, ann)
			for table, row := range marked(t, db, mark) {
				t.Errorf("%s still has %s", table, row)
			}
			for _, of := range []user.Caller{bob, dean} {
				exported := must.Get(rooms.NewExport(b.Ports, money.Currency{}).ExportData(t.Context(), of.ID, 1000))(t)
				text := must.Get(json.Marshal(exported))(t)
				if strings.Contains(strings.ToLower(string(text)), mark) {
					t.Errorf("somebody's export has %s", text)
				}
			}
			b.CheckLedger(t)
		})
	}
}

// leaveMarks lets ann write the mark wherever a person can write something.
func leaveMarks(t *testing.T, b *contract.MarketFixture, mark string, ann, bob, dean user.Caller) {
	t.Helper()
	draft := func(name string) book.Draft {
		d := contract.Draft(name, "MTH 161", 1000)
		d.Comments = "A comment of " + mark
		return d
	}
	listed, sold, theirs, delivered := b.Post(t, ann, draft("Calculus")), b.Post(t, ann, draft("Algebra")), b.Post(t, bob, contract.Draft("Physics", "PHY 121", 1000)), b.Post(t, ann, draft("Zoology"))
	b.Buy(t, bob, sold.ID)
	purchase := b.Buy(t, ann, theirs.ID).Orders[0]
	must.Get(b.Orders.Withdraw(t.Context(), ann, purchase.ID, "The reason of "+mark))(t)
	done := b.Buy(t, bob, delivered.ID).Orders[0]
	must.Get(b.Orders.Confirm(t.Context(), dean, delivered.ID))(t)
	must.Get(b.Orders.SetPaid(t.Context(), dean, delivered.ID))(t)
	must.Do(t, b.Trust.Rate(t.Context(), ann, done.ID, true, "A rating by "+mark))
	b.Request(t, ann, book.RequestDraft{Name: "Wanted by " + mark, Course: "BIO 110"})
	must.Get(b.SavedSearches.Save(t.Context(), ann, savedsearch.Draft{Query: "searched by " + mark}, true))(t)
	must.Get(b.Conversations.Send(t.Context(), ann, talking.Addressee{Book: theirs.ID}, "A message of "+mark))(t)
	must.Get(b.Conversations.Send(t.Context(), bob, talking.Addressee{Book: listed.ID}, "Is it there?"))(t)
	must.Get(b.Offers.Make(t.Context(), ann, b.Post(t, bob, contract.Draft("Botany", "BIO 110", 1000)).ID, 800, "An offer of "+mark))(t)
	must.Get(b.PushSubscriptions.Add(t.Context(), ann, push.Draft{
		Endpoint: "https://push.example.net/" + mark,
		Keys:     push.Keys{P256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", Auth: "BTBZMqHH6r4Tts7J_aSIgg"},
	}))(t)
	for who, about := range map[user.Caller]user.ID{ann: bob.ID, bob: ann.ID} {
		text := "Something about them"
		if who == ann {
			text = "A report by " + mark
		}
		must.Get(b.Reports.Add(t.Context(), who, guarding.ReportDraft{Targets: []report.Target{{Kind: report.Person, ID: int64(about)}}, Reason: report.Abuse, Text: text}))(t)
	}
	must.Do(t, b.Carts.Add(t.Context(), bob, listed.ID))
	b.RunAllJobs(t)
}
