package inboxstore_test

import (
	"context"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/application/inbox"
)

// firstSchema is that of the first release alone.
func firstSchema(t *testing.T) gormstore.Migrations {
	t.Helper()
	only := fstest.MapFS{}
	for _, path := range []string{"sqlite/00001_inbox.sql", "postgres/00001_inbox.sql"} {
		text, err := fs.ReadFile(inboxstore.Migrations.FS, path)
		if err != nil {
			t.Fatal(err)
		}
		only[path] = &fstest.MapFile{Data: text}
	}
	return gormstore.Migrations{Name: inboxstore.Migrations.Name, FS: only}
}

// What a service of the first release left behind: one delivery that waits for its
// second try, one dead, one done.
const firstRelease = `
	INSERT INTO inbox_deliveries (seq, id, event, action, received_at) VALUES (10, 'open', 'push', '', 1000000), (20, 'dead', 'issues', 'opened', 2000000), (30, 'done', 'push', '', 3000000);
	INSERT INTO inbox_payloads (seq, payload) VALUES (10, '{"n":1}'), (20, '{"n":2}'), (30, '{"n":3}');
	INSERT INTO inbox_jobs (id, seq, rule, order_key, state, due_at, lease_until, attempts, redelivery, status, error, changed_at) VALUES
		(11, 10, '` + pushRule + `', '', 0, 1000000, 0, 1, 0, 500, 'answered 500', 1000000),
		(21, 20, '` + pushRule + `', '', 2, 0, 0, 36, 0, 500, 'answered 500', 2000000),
		(31, 30, '` + pushRule + `', '', 1, 0, 0, 1, 0, 200, '', 3000000)`

func TestAnInboxOfTheFirstReleaseGoesOn(t *testing.T) {
	for engine, database := range databases {
		t.Run(engine, func(t *testing.T) {
			db := database(t, firstSchema(t))
			write, _ := db.SQL()
			if _, err := write.ExecContext(t.Context(), firstRelease); err != nil {
				t.Fatal(err)
			}
			if err := db.Migrate(context.Background(), inboxstore.Migrations); err != nil {
				t.Fatal(err)
			}
			store := over(t, db)
			defer closed(t, store)
			for state, want := range map[string]string{"pending": "open", "dead": "dead", "delivered": "done"} {
				page, _, err := store.List(t.Context(), inbox.Query{State: state, Limit: 10})
				if err != nil || len(page) != 1 || page[0].ID != want {
					t.Errorf("%s are %+v, %v", state, page, err)
				}
			}
			if d, err := store.Find(t.Context(), "dead"); err != nil || string(d.Payload) != `{"n":2}` || d.Jobs[0].Attempts != 36 {
				t.Errorf("found %+v, %v", d, err)
			}
			if tasks := claimed(t, store); len(tasks) != 1 || tasks[0].DeliveryID != "open" || string(tasks[0].Payload) != `{"n":1}` || tasks[0].Attempts != 2 {
				t.Errorf("claimed %+v", tasks)
			}
			storePush(t, store, 40, "new")
		})
	}
}
