package web

import (
	"errors"
	"net/http"

	"github.com/octavo-books/octavo/domain/user"
)

// AddressBookFor finds addresses with the rights of a viewer.
func (p *Pages) AddressBookFor(r *http.Request, by user.Caller) AddressBook {
	return AddressBook{pages: p, r: r, by: by, known: map[user.ID]string{}}
}

// AddressBook finds the address of each account once.
type AddressBook struct {
	pages *Pages
	r     *http.Request
	by    user.Caller
	known map[user.ID]string
}

// Of returns "" for an account that is deleted.
func (a AddressBook) Of(id user.ID) (string, error) {
	address, known := a.known[id]
	if known || id == 0 {
		return address, nil
	}
	u, err := a.pages.Identity.Users.Find(a.r.Context(), a.by, id)
	if err != nil && !errors.Is(err, user.ErrNotFound) && !errors.Is(err, user.ErrOtherCampus) {
		return "", err
	}
	a.known[id] = string(u.Email)
	return string(u.Email), nil
}
