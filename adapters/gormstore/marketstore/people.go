package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
)

// people is market.PeopleStore.
type people struct{ conn }

// personColumns are those of users under an alias; what is erased is empty.
func personColumns(u string) string {
	columns := u + ".id, " + u + ".lang"
	for _, c := range []string{"email", "first_name", "last_name", "university", "campus_mailbox", "payment_username"} {
		columns += ", COALESCE(" + u + "." + c + ", '')"
	}
	return columns
}

// personRow is what personColumns are scanned into.
type personRow struct {
	id                int64
	lang, email       string
	first, last       string
	university        string
	mailbox, payments string
}

func (r *personRow) columns() []any {
	return []any{&r.id, &r.lang, &r.email, &r.first, &r.last, &r.university, &r.mailbox, &r.payments}
}

func (r *personRow) person() market.Person {
	return market.Person{
		ID: user.ID(r.id), Lang: user.Lang(r.lang), Email: user.Email(r.email),
		Profile: user.Profile{
			FirstName: r.first, LastName: r.last, University: r.university, CampusMailbox: r.mailbox, PaymentUsername: r.payments,
		},
	}
}

func readPerson() ([]any, func() market.Person) {
	var r personRow
	return r.columns(), r.person
}

var selectPeople = "SELECT " + personColumns("u") + " FROM users u WHERE u.id IN ("

func (s people) Find(ctx context.Context, ids ...user.ID) (map[user.ID]market.Person, error) {
	return s.find(ctx, ids, "")
}

func (s people) FindForShare(ctx context.Context, ids ...user.ID) (map[user.ID]market.Person, error) {
	return s.find(ctx, ids, s.ForShare())
}

func (s people) find(ctx context.Context, ids []user.ID, locking string) (map[user.ID]market.Person, error) {
	found := make(map[user.ID]market.Person, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	marks, args := rawsql.In(ids)
	all, err := rawsql.CollectUpTo(ctx, s.Conn, len(ids), readPerson, selectPeople+marks+") ORDER BY u.id"+locking, args...)
	for _, p := range all {
		found[p.ID] = p
	}
	return found, err
}
