package authstore_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

// An account behind thousands of newer ones is found through an index, which SQLite has only for texts of three
// characters or more.
func TestASearchFindsAccountsHoweverOldTheyAre(t *testing.T) {
	for engine, open := range databases {
		t.Run(engine, func(t *testing.T) {
			db := open(t, authstore.Migrations)
			rows := "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5100) SELECT i FROM n) n"
			for _, statement := range []string{
				"INSERT INTO users (id, email, created_at, first_name, last_name, name_key, university) SELECT 10 + i, 'u' || i || '@a.edu', 1, 'Ann', 'Li', 'ann li', 'U' FROM " + rows,
				"INSERT INTO users (id, email, created_at, first_name, last_name, name_key, university) VALUES (1, 'zoe_q@b.edu', 1, 'Zoë', 'Quux', 'zoe quux', 'V')",
				"INSERT INTO users (id, email, created_at) VALUES (2, 'x@zoeq.edu', 1)",
				"UPDATE users SET first_name = 'Wu', name_key = 'wu li' WHERE id = 4200", // among the newest thousand
			} {
				must.Do(t, db.Write.Exec(statement).Error)
			}
			i := authstore.New(db, nil, nil)
			for search, want := range map[string][]user.ID{
				"quux": {1}, "ZOË Q": {1}, "zoe": {2, 1}, "zoe_": {1}, "ZOEQ": {2}, "zo": {2, 1}, "Q": {2, 1}, "q@": {1}, "%": nil, "zoe%": nil, "nobody": nil, "u77@": {87}, "wu": {4200}, "wu\u0308": {4200},
				"oe_q@b.e": {1}, "a very long text that nobody has in an address or a name, whatever part of it one looks at": nil,
			} {
				if old := len(want) == 2 || search == "q@"; engine == "sqlite" && len(search) < 3 && old {
					want = nil
				}
				found := must.Get(i.ListUsers(t.Context(), account.UserFilter{Search: search, InNames: true}, 0, 20))(t)
				if len(found) != len(want) {
					t.Errorf("%q: %v, want %v", search, found, want)
					continue
				}
				for n, id := range want {
					if found[n].ID != id {
						t.Errorf("%q: %v, want %v", search, found, want)
					}
				}
			}
			if found, err := i.ListUsers(t.Context(), account.UserFilter{Search: "zoe", InNames: true, University: "V"}, 0, 20); err != nil || len(found) != 1 {
				t.Errorf("at one university: %v, %v", found, err)
			}
			if found, err := i.ListUsers(t.Context(), account.UserFilter{Search: "quux"}, 0, 20); err != nil || len(found) != 0 {
				t.Errorf("a name in addresses: %v, %v", found, err)
			}
		})
	}
}

func TestASearchForARareNameReadsAnIndex(t *testing.T) {
	db := database.Postgres(t, authstore.Migrations)
	for _, statement := range []string{
		"INSERT INTO users (id, email, created_at, first_name, name_key) SELECT i, 'u' || i || '@a.edu', 1, 'Ann', 'ann' FROM generate_series(1, 20000) i", "ANALYZE users",
	} {
		must.Do(t, db.Write.Exec(statement).Error)
	}
	for search, index := range map[string]string{"quux": "users_search", "qu": "users_short_search", "q": "users_short_search"} {
		query, args := authstore.IndexedUserSearch(gormstore.Postgres, search, 20)
		var plan []string
		must.Do(t, db.Read.Raw("EXPLAIN "+query, args...).Scan(&plan).Error)
		if text := strings.Join(plan, "\n"); !strings.Contains(text, index) || strings.Contains(text, "Seq Scan") {
			t.Errorf("%s:\n%s", query, text)
		}
	}
}

// The index of parts follows changed names and addresses, and forgets deleted accounts.
func TestASearchFollowsAChangedNameOnSQLite(t *testing.T) {
	db := database.SQLite(t, authstore.Migrations)
	i := authstore.New(db, nil, nil)
	find := func(search string) int {
		t.Helper()
		found := must.Get(i.ListUsers(t.Context(), account.UserFilter{Search: search, InNames: true}, 0, 20))(t)
		return len(found)
	}
	for _, step := range []struct {
		statement string
		want      map[string]int
	}{
		{"INSERT INTO users (id, email, created_at, first_name, name_key) VALUES (1, 'ann@a.edu', 1, 'Ann', 'ann')", map[string]int{"ann": 1, "@a.edu": 1, "n@a": 1, "bob": 0}},
		{"UPDATE users SET first_name = 'Bob', name_key = 'bob'", map[string]int{"bob": 1, "ann": 1}},
		{"UPDATE users SET email = 'bob@b.edu'", map[string]int{"bob": 1, "ann": 0, "@b.edu": 1}},
		{"UPDATE users SET email = NULL, first_name = NULL, name_key = NULL, deleted_at = 1", map[string]int{"bob": 0, "@b.edu": 0}},
	} {
		must.Do(t, db.Write.Exec(step.statement).Error)
		for search, want := range step.want {
			if got := find(search); got != want {
				t.Errorf("after %s: %d found with %q, want %d", step.statement, got, search, want)
			}
		}
	}
	var left int
	if err := db.Read.Raw("SELECT count(*) FROM user_search WHERE user_search MATCH 'bob'").Scan(&left).Error; err != nil || left != 0 {
		t.Errorf("the index has %d deleted accounts, %v", left, err)
	}
}

// A search for people reads what it shows, however many there are.
func TestASearchForPeopleReadsAnIndexOnSQLite(t *testing.T) {
	db := database.SQLite(t, authstore.Migrations)
	rows := "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n) n"
	must.Do(t, db.Write.Exec("INSERT INTO users (id, email, created_at, first_name, name_key) SELECT i, 'u' || i || '@a.edu', 1, 'Ann', 'ann' FROM "+rows).Error)
	cost := database.SQLiteSteps(t, db)
	query, args := authstore.IndexedUserSearch(gormstore.SQLite, "u777@", 20)
	if n := cost(query, args); n > 1_000 {
		t.Errorf("a search among 5,000 people takes %d steps", n)
	}
}
