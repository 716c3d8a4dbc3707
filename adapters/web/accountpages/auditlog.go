package accountpages

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// auditLogPages shows owners who did what.
func (p *Pages) auditLogPages() web.Feature {
	return web.Feature{Routes: []*web.Route{web.Get("/dashboard/audit", p.ForOwners(p.auditLog)).InMenu(120, "Audit log", "")}}
}

type auditLogView struct {
	Filter   web.Form
	Filtered bool
	Entries  []auditLogEntry
	Columns  []web.Column
	More     string
}

type auditLogEntry struct {
	audit.Entry
	By, To audited
}

// audited is who did something, or what it was done to.
type audited struct {
	Name, Address string // of a person, and of what else has a name; the id of anything else
	Path          string // "" if there is no page
}

// auditColumns are the columns of the audit log, in their order.
var auditColumns = []web.Sortable[auditLogEntry]{
	web.SortBy("time", "Time", func(e auditLogEntry) int64 { return e.At.UnixMicro() }),
	web.SortBy("actor", "Actor", func(e auditLogEntry) string { return e.By.Name }),
	web.SortBy("action", "Action", func(e auditLogEntry) string { return e.Action }),
	web.SortBy("target", "Target", func(e auditLogEntry) string { return e.To.Name }),
	web.SortBy("details", "Details", func(e auditLogEntry) string { return e.Detail }),
	web.SortBy("ip", "IP address", func(e auditLogEntry) string { return e.IP }),
}

// Words describes the action; an action without words is its code.
func (e auditLogEntry) Words() string { return audit.Words(e.Action) }

// auditForm filters the audit log.
var auditForm = web.Form{UseGet: true, Action: "/dashboard/audit", Button: "Show", Fields: []web.Field{
	{Name: "person", Label: "Name or address of the person", Max: 254, Optional: true},
	{Name: "action", Label: "Action", Type: "choice", Optional: true, Options: web.AuditOptions()},
	{Name: "from", Label: "From day", Type: "date", Optional: true},
	{Name: "to", Label: "To day", Type: "date", Optional: true},
}}

var (
	errNoPerson  = fault.New(fault.Invalid, "person_unknown", "No account has this name or address.").WithField("person", "No account has this name or address.")
	errManyNamed = fault.New(fault.Invalid, "person_ambiguous", "Several people have this name: enter an address.").WithField("person", "Several people have this name: enter an address.")
)

// auditLog serves GET /dashboard/audit?person=&action=&from=&to=, newest first.
func (p *Pages) auditLog(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	lang, status, query := web.LangOf(r), http.StatusOK, r.URL.Query()
	v := auditLogView{Filter: auditForm.WithValues(query)}
	v.Filtered = slices.ContainsFunc(v.Filter.Fields, func(f web.Field) bool { return f.Value != "" })
	filter, err := p.auditFilter(r, by, query)
	if err == nil {
		err = p.addAuditEntries(r, by, filter, &v)
	}
	if err != nil {
		if fault.KindOf(err) != fault.Invalid {
			return err
		}
		v.Filter, status = v.Filter.WithErrors(lang, err), httpx.Status(err)
	}
	return p.Show(w, r, status, "auditlog", "Audit log", v)
}

func (p *Pages) auditFilter(r *http.Request, by user.Caller, query url.Values) (f account.AuditFilter, err error) {
	f.Action = query.Get("action")
	if f.Since, err = web.DayOf(query, "from"); err != nil {
		return f, err
	}
	if f.Until, err = web.DayOf(query, "to"); err != nil {
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

// findPerson finds the account with an id, an address in any case, or a name that nobody else has.
func (p *Pages) findPerson(r *http.Request, by user.Caller, typed string) (user.ID, error) {
	if u, err := p.Identity.Users.Find(r.Context(), by, web.IDOf[user.ID](typed)); err == nil {
		return u.ID, nil
	}
	page, err := p.Identity.Users.List(r.Context(), by, account.UserQuery{Search: typed, InNames: true, First: account.MaxPage})
	if err != nil {
		return 0, err
	}
	var named []user.ID
	for _, u := range page.Users {
		if strings.EqualFold(string(u.Email), typed) {
			return u.ID, nil
		}
		if text.Fold(web.NameOf(u)) == text.Fold(typed) {
			named = append(named, u.ID)
		}
	}
	switch {
	case len(named) == 1:
		return named[0], nil
	case len(named) > 1:
		return 0, errManyNamed
	}
	return 0, errNoPerson
}

func (p *Pages) addAuditEntries(r *http.Request, by user.Caller, filter account.AuditFilter, v *auditLogView) error {
	page, err := p.Identity.Users.AuditLog(r.Context(), by, account.AuditQuery{
		AuditFilter: filter, First: web.StaffRows, After: r.URL.Query().Get("cursor"),
	})
	if err != nil {
		return err
	}
	if v.Entries, err = p.nameAudited(r, by, page.Entries); err != nil {
		return err
	}
	v.Entries, v.Columns = web.SortRows(r, "entries", v.Entries, auditColumns)
	if page.HasNext {
		v.More = web.NextLink(r, page.EndCursor)
	}
	return nil
}
