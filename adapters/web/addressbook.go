package web

import (
	"errors"
	"net/http"

	"github.com/octavo-books/octavo/domain/user"
)

// addressBookFor finds addresses with the rights of a viewer.
func (p *Pages) addressBookFor(r *http.Request, by user.Caller) addressBook {
	return addressBook{pages: p, r: r, by: by, known: map[user.ID]string{}}
}

// addressBook finds the address of each account once.
type addressBook struct {
	pages *Pages
	r     *http.Request
	by    user.Caller
	known map[user.ID]string
}

// of returns "" for an account that is deleted.
func (a addressBook) of(id user.ID) (string, error) {
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
