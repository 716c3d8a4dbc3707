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

type usersView struct {
	Search string
	Users  []user.User
	Owner  bool
	Market bool
	More   string
	Here   string
}

// users serves GET /dashboard/people?search=. It searches in names and addresses.
func (p *Pages) users(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	search := r.URL.Query().Get("search")
	page, err := p.Identity.People.List(r.Context(), by, auth.UserQuery{
		Search: search, InNames: true, First: market.DefaultLimit, After: r.URL.Query().Get("cursor"),
	})
	if err != nil {
		return err
	}
	lang := langOf(r)
	v := usersView{Search: search, Users: page.Users, Owner: by.Role >= user.Owner, Market: p.Market != nil, Here: r.URL.RequestURI()}
	if page.HasNext {
		v.More = nextLink(r, page.EndCursor)
	}
	p.render(w, r, http.StatusOK, "users", pageData{lang, translate(lang, "Users"), v})
	return nil
}

// promote serves POST /dashboard/people/promote.
func (p *Pages) promote(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Identity.People.MakeAdmin(r.Context(), by, idOf[user.ID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.redirect(w, r, r.PostForm.Get("back"), "promoted")
}

// demote serves POST /dashboard/people/demote.
func (p *Pages) demote(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Identity.People.RevokeAdmin(r.Context(), by, idOf[user.ID](r.PostForm.Get("id"))); err != nil {
		return err
	}
	return p.redirect(w, r, r.PostForm.Get("back"), "promoted")
}

// defaultExpireDays is the age of books, in days, that the form suggests.
const defaultExpireDays = 62

type expireView struct {
	Days      string
	Error     string
	Previewed bool
	Books     []book.ID
}

// showExpire serves GET /dashboard/tidy. With ?days= it previews what would be
// unlisted.
func (p *Pages) showExpire(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	typed := r.URL.Query().Get("days")
	lang, status := langOf(r), http.StatusOK
	v := expireView{Days: strconv.Itoa(defaultExpireDays)}
	if typed != "" {
		v.Days, v.Previewed = typed, true
		var err error
		if v.Books, err = p.Market.ExpireListings.Do(r.Context(), by, daysOf(typed), true); err != nil {
			if fault.KindOf(err) != fault.Invalid {
				return err
			}
			v.Previewed, v.Error, status = false, errorMessage(lang, err), httpx.Status(err)
		}
	}
	p.render(w, r, status, "expire", pageData{lang, translate(lang, "Unlist old books"), v})
	return nil
}

// expire serves POST /dashboard/tidy.
func (p *Pages) expire(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if _, err := p.Market.ExpireListings.Do(r.Context(), by, daysOf(r.PostForm.Get("days")), false); err != nil {
		return err
	}
	return p.redirect(w, r, "/dashboard/tidy", "tidied")
}

// daysOf parses an age. It returns -1 for an invalid text, which the use case
// rejects.
func daysOf(typed string) int {
	n, err := strconv.Atoi(strings.TrimSpace(typed))
	if err != nil {
		return -1
	}
	return n
}

type auditLogView struct {
	Entries []auditLogEntry
	More    string
}

type auditLogEntry struct {
	audit.Entry
	By string // the actor's address; empty if nobody was signed in or the account is deleted
}

// auditLog serves GET /dashboard/audit, newest first.
func (p *Pages) auditLog(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	page, err := p.Identity.People.AuditLog(r.Context(), by, auth.AuditQuery{First: market.DefaultLimit, After: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	names := map[user.ID]string{}
	v := auditLogView{}
	for _, e := range page.Entries {
		name, known := names[e.Actor]
		if !known && e.Actor != 0 {
			u, err := p.Identity.People.Find(r.Context(), by, e.Actor)
			if err != nil && !errors.Is(err, user.ErrNotFound) {
				return err
			}
			name = string(u.Email)
			names[e.Actor] = name
		}
		v.Entries = append(v.Entries, auditLogEntry{e, name})
	}
	if page.HasNext {
		v.More = nextLink(r, page.EndCursor)
	}
	lang := langOf(r)
	p.render(w, r, http.StatusOK, "auditlog", pageData{lang, translate(lang, "Audit log"), v})
	return nil
}
