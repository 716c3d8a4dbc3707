package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

type peopleView struct {
	Search string
	Users  []user.User
	Owner  bool
	More   string
	Here   string
}

// people serves GET /dashboard/people?search=: a part of a name or address.
func (p *Pages) people(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	search := r.URL.Query().Get("search")
	page, err := p.Market.People.List(r.Context(), by, auth.UserQuery{
		Search: search, InNames: true, First: market.DefaultLimit, After: r.URL.Query().Get("cursor"),
	})
	if err != nil {
		return err
	}
	lang := langOf(r)
	v := peopleView{Search: search, Users: page.Users, Owner: by.Role >= user.Owner, Here: r.URL.RequestURI()}
	if page.HasNext {
		v.More = further(r, page.EndCursor)
	}
	p.show(w, r, http.StatusOK, "people", frame{lang, say(lang, "Users"), v})
	return nil
}

// promote serves POST /dashboard/people/promote.
func (p *Pages) promote(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Market.People.MakeAdmin(r.Context(), by, idOf[user.ID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.onward(w, r, r.PostForm.Get("back"), "promoted")
}

// demote serves POST /dashboard/people/demote.
func (p *Pages) demote(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Market.People.RevokeAdmin(r.Context(), by, idOf[user.ID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.onward(w, r, r.PostForm.Get("back"), "promoted")
}

// oldBooks is the age, in days, from which books are proposed to be unlisted.
const oldBooks = 62

type tidyView struct {
	Days    string
	Trouble string
	Looked  bool
	Books   []book.ID
}

// tidy serves GET /dashboard/tidy: with ?days= what would be unlisted.
func (p *Pages) tidy(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	typed := r.URL.Query().Get("days")
	lang, status := langOf(r), http.StatusOK
	v := tidyView{Days: strconv.Itoa(oldBooks)}
	if typed != "" {
		v.Days, v.Looked = typed, true
		var err error
		if v.Books, err = p.Market.ExpireListings.Do(r.Context(), by, daysOf(typed), true); err != nil {
			if fault.KindOf(err) != fault.Invalid {
				return err
			}
			v.Looked, v.Trouble, status = false, sentence(lang, err), httpx.Status(err)
		}
	}
	p.show(w, r, status, "tidy", frame{lang, say(lang, "Unlist old books"), v})
	return nil
}

// unlistOld serves POST /dashboard/tidy.
func (p *Pages) unlistOld(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Market.ExpireListings.Do(r.Context(), by, daysOf(r.PostForm.Get("days")), false); err != nil {
		return err
	}
	return p.onward(w, r, "/dashboard/tidy", "tidied")
}

// daysOf reads an age; a text that is none is one that is refused.
func daysOf(typed string) int {
	n, err := strconv.Atoi(strings.TrimSpace(typed))
	if err != nil {
		return -1
	}
	return n
}

type trailView struct {
	Entries []trailEntry
	More    string
}

type trailEntry struct {
	audit.Entry
	By string // address of who did it; empty: nobody signed in, or gone
}

// trail serves GET /dashboard/audit: who did what, newest first.
func (p *Pages) trail(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	page, err := p.Market.People.AuditLog(r.Context(), by, auth.AuditQuery{First: market.DefaultLimit, After: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	names := map[user.ID]string{}
	v := trailView{}
	for _, e := range page.Entries {
		name, known := names[e.Actor]
		if !known && e.Actor != 0 {
			u, err := p.Market.People.Find(r.Context(), by, e.Actor)
			if err != nil && !errors.Is(err, user.ErrNotFound) {
				return err
			}
			name = string(u.Email)
			names[e.Actor] = name
		}
		v.Entries = append(v.Entries, trailEntry{e, name})
	}
	if page.HasNext {
		v.More = further(r, page.EndCursor)
	}
	lang := langOf(r)
	p.show(w, r, http.StatusOK, "trail", frame{lang, say(lang, "Audit log"), v})
	return nil
}
