package marketstore

import (
	"context"

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

func personFields(p *market.Person) []any {
	f := &p.Profile
	return []any{&p.ID, &p.Lang, &p.Email, &f.FirstName, &f.LastName, &f.University, &f.CampusMailbox, &f.PaymentUsername}
}

func (s people) Find(ctx context.Context, ids ...user.ID) (map[user.ID]market.Person, error) {
	found := make(map[user.ID]market.Person, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	marks, args := list(ids)
	all, err := collect(ctx, s.conn, func(r row) (p market.Person, err error) {
		err = r.Scan(personFields(&p)...)
		return p, err
	}, "SELECT "+personColumns("u")+" FROM users u WHERE u.id IN ("+marks+")", args...)
	for _, p := range all {
		found[p.ID] = p
	}
	return found, err
}
