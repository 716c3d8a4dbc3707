package web

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/octavo-books/octavo/domain/user"
)

// AddressBookFor finds addresses with the rights of a viewer.
func (p *Pages) AddressBookFor(r *http.Request, by user.Caller) AddressBook {
	return AddressBook{pages: p, r: r, by: by, known: map[user.ID]user.User{}}
}

// AddressBook finds the address of each account once.
type AddressBook struct {
	pages *Pages
	r     *http.Request
	by    user.Caller
	known map[user.ID]user.User
}

// Of returns "" for an account that is deleted.
func (a AddressBook) Of(id user.ID) (string, error) {
	u, err := a.Find(id)
	return string(u.Email), err
}

// Find returns the zero User for an account that is deleted.
func (a AddressBook) Find(id user.ID) (user.User, error) {
	u, known := a.known[id]
	if known || id == 0 {
		return u, nil
	}
	u, err := a.pages.Identity.Users.Find(a.r.Context(), a.by, id)
	if err != nil && !errors.Is(err, user.ErrNotFound) && !errors.Is(err, user.ErrOtherCampus) {
		return user.User{}, err
	}
	a.known[id] = u
	return u, nil
}

// NameOf is the name of a person, or the address of one who has given none.
func NameOf(u user.User) string {
	if u.Profile != nil {
		return u.Profile.FirstName + " " + u.Profile.LastName
	}
	return cmp.Or(u.Name, string(u.Email))
}
