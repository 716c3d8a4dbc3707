package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// auditLogPages shows owners who did what.
func (p *Pages) auditLogPages() feature {
	return feature{routes: []*Route{get("/dashboard/audit", p.forOwners(p.auditLog)).inMenu(120, "Audit log", "")}}
}

type auditLogView struct {
	Filter   form
	Filtered bool
	Entries  []auditLogEntry
	Columns  []column
	More     string
}

type auditLogEntry struct {
	audit.Entry
	By, To string  // the addresses of actor and target; "" without an account
	Person user.ID // the target, if it has an account
	Book   book.ID // the target, if it is a book; 0: none
}

// auditColumns are the columns of the audit log, in their order.
var auditColumns = []sortable[auditLogEntry]{
	sortBy("time", "Time", func(e auditLogEntry) int64 { return e.At.UnixMicro() }),
	sortBy("actor", "Actor", func(e auditLogEntry) string { return e.By }),
	sortBy("action", "Action", func(e auditLogEntry) string { return e.Action }),
	sortBy("target", "Target", func(e auditLogEntry) string { return e.To + e.Target }),
	sortBy("details", "Details", func(e auditLogEntry) string { return e.Detail }),
	sortBy("ip", "IP address", func(e auditLogEntry) string { return e.IP }),
}

// Words describes the action; an action without words is its code.
func (e auditLogEntry) Words() string { return auditWords(e.Action) }

// auditForm filters the audit log.
var auditForm = form{UseGet: true, Action: "/dashboard/audit", Button: "Show", Fields: []field{
	{Name: "person", Label: "Email address of the person", Max: 254, Optional: true},
	{Name: "action", Label: "Action", Type: "choice", Optional: true, Options: auditOptions()},
	{Name: "from", Label: "From day", Type: "date", Optional: true},
	{Name: "to", Label: "To day", Type: "date", Optional: true},
}}

var (
	errNoPerson = fault.New(fault.Invalid, "person_unknown", "No account has this address.").WithField("person", "No account has this address.")
)

// auditLog serves GET /dashboard/audit?person=&action=&from=&to=, newest first.
func (p *Pages) auditLog(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	lang, status, query := langOf(r), http.StatusOK, r.URL.Query()
	v := auditLogView{Filter: auditForm.withValues(query)}
	v.Filtered = slices.ContainsFunc(v.Filter.Fields, func(f field) bool { return f.Value != "" })
	filter, err := p.auditFilter(r, by, query)
	if err == nil {
		err = p.addAuditEntries(r, by, filter, &v)
	}
	if err != nil {
		if fault.KindOf(err) != fault.Invalid {
			return err
		}
		v.Filter, status = v.Filter.withErrors(lang, err), httpx.Status(err)
	}
	return p.show(w, r, status, "auditlog", "Audit log", v)
}

func (p *Pages) auditFilter(r *http.Request, by user.Caller, query url.Values) (f account.AuditFilter, err error) {
	f.Action = query.Get("action")
	if f.Since, err = dayOf(query, "from"); err != nil {
		return f, err
	}
	if f.Until, err = dayOf(query, "to"); err != nil {
		return f, err
	}
	if !f.Until.IsZero() {
		f.Until = f.Until.AddDate(0, 0, 1) // the day itself counts
	}
	if address := strings.TrimSpace(query.Get("person")); address != "" {
		f.User, err = p.findPerson(r, by, address)
	}
	return f, err
}

// findPerson finds the account with an address, in any case.
func (p *Pages) findPerson(r *http.Request, by user.Caller, address string) (user.ID, error) {
	page, err := p.Identity.Users.List(r.Context(), by, account.UserQuery{Search: address, First: account.MaxPage})
	for _, u := range page.Users {
		if strings.EqualFold(string(u.Email), address) {
			return u.ID, err
		}
	}
	if err != nil {
		return 0, err
	}
	return 0, errNoPerson
}

func (p *Pages) addAuditEntries(r *http.Request, by user.Caller, filter account.AuditFilter, v *auditLogView) error {
	page, err := p.Identity.Users.AuditLog(r.Context(), by, account.AuditQuery{
		AuditFilter: filter, First: market.DefaultLimit, After: r.URL.Query().Get("cursor"),
	})
	if err != nil {
		return err
	}
	addresses := p.addressBookFor(r, by)
	for _, e := range page.Entries {
		entry := auditLogEntry{Entry: e}
		if entry.By, err = addresses.of(e.Actor); err != nil {
			return err
		}
		if strings.HasPrefix(e.Action, "user.") {
			entry.Person = idOf[user.ID](e.Target)
			if entry.To, err = addresses.of(entry.Person); err != nil {
				return err
			}
		}
		if strings.HasPrefix(e.Action, "book.") || strings.HasPrefix(e.Action, "order.") {
			entry.Book = idOf[book.ID](e.Target)
		}
		v.Entries = append(v.Entries, entry)
	}
	v.Entries, v.Columns = sortRows(r, "entries", v.Entries, auditColumns)
	if page.HasNext {
		v.More = nextLink(r, page.EndCursor)
	}
	return nil
}
