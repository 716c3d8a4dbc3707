package accountpages

import (
	"net/http"
	"strings"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// nameAudited names the people and books of some entries, of which a page has web.StaffRows at most.
func (p *Pages) nameAudited(r *http.Request, by user.Caller, entries []audit.Entry) ([]auditLogEntry, error) {
	titles, err := p.auditedTitles(r, by, entries)
	if err != nil {
		return nil, err
	}
	all, people := make([]auditLogEntry, len(entries)), p.AddressBookFor(r, by)
	for i, e := range entries {
		all[i].Entry = e
		actor, err := people.Find(e.Actor)
		if err != nil {
			return nil, err
		}
		switch all[i].By = auditedPerson(actor); {
		case e.Actor == user.OperatorID:
			all[i].By.Name = web.Translate(web.LangOf(r), "Command line")
		case actor.ID == 0 && e.Actor != 0:
			all[i].By.Name = e.Actor.String()
		}
		if all[i].To, err = p.auditedTarget(e, people, titles); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// auditedTarget names the target of an entry. Most are people.
func (p *Pages) auditedTarget(e audit.Entry, people web.AddressBook, titles map[book.ID]string) (audited, error) {
	kind, _, _ := strings.Cut(e.Action, ".")
	switch kind {
	case "book", "order":
		if title, known := titles[web.IDOf[book.ID](e.Target)]; known {
			return audited{Name: title, Path: "/dashboard/books/book?id=" + e.Target}, nil
		}
	case "report":
		if p.Market != nil {
			return audited{Name: e.Target, Path: web.ReportCasePath + "?id=" + e.Target}, nil
		}
	case "client", "machine", "resource", "place", "desk", "courses", "books":
	default:
		if found, err := people.Find(web.IDOf[user.ID](e.Target)); err != nil || found.ID != 0 {
			return auditedPerson(found), err
		}
	}
	return audited{Name: e.Target}, nil
}

func auditedPerson(u user.User) audited {
	if u.ID == 0 { // nobody, or a deleted account
		return audited{}
	}
	return audited{Name: web.NameOf(u), Address: string(u.Email), Path: "/dashboard/people/person?id=" + u.ID.String()}
}

// auditedTitles reads the titles of the books that the entries are about.
func (p *Pages) auditedTitles(r *http.Request, by user.Caller, entries []audit.Entry) (map[book.ID]string, error) {
	titles := map[book.ID]string{}
	if p.Market == nil {
		return titles, nil
	}
	var ids []book.ID
	for _, e := range entries {
		if id := web.IDOf[book.ID](e.Target); id != 0 && (strings.HasPrefix(e.Action, "book.") || strings.HasPrefix(e.Action, "order.")) {
			ids = append(ids, id)
		}
	}
	books, err := p.Market.BookAdmin.Review(r.Context(), by, ids)
	for _, b := range books {
		titles[b.ID] = b.Name
	}
	return titles, err
}
