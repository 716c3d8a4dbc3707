package web

import (
	"net/http"

	"github.com/octavo-books/octavo/domain/user"
)

// me serves GET /me: links to the viewer's own pages.
func (p *Pages) me(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	lang := langOf(r)
	groups := []linkGroup{
		{"Books", []Link{
			{"/mine", "My books", "what you have listed, in every state"},
			{"/sales", "My sales", "what was bought from you, and what happens next"},
			{"/purchases", "My purchases", "what you have bought, and where it is"},
			{"/wanted", "Requests", "books you are looking for, and their matches"},
			{coursesPath, "Courses", "the books of your courses: request them, and sell them afterwards"},
			{searchesPath, "Saved searches", "we tell you when a new book fits"},
			{messagesPath, "Messages", "what buyers and sellers write to you"},
			{"/notifications", "Notifications", "what has happened since your last visit"},
		}},
		{"You", []Link{
			{"/account", "Account", "profile, password and devices"},
			{"/account/security", "Passkeys and second factor", "how you sign in"},
		}},
	}
	if !by.Student { // the other pages would send the viewer away
		groups = groups[1:]
	}
	p.render(w, r, http.StatusOK, "me", pageData{lang, translate(lang, "Me"), meView{groups}})
	return nil
}

type meView struct{ Groups []linkGroup }

// linkGroup is a list of links with a heading.
type linkGroup struct {
	Head  string
	Links []Link
}

// subnavOf returns the links of the dashboard.
func subnavOf(market, meets, owner bool) []Link {
	var links []Link
	if market {
		links = append(links, Link{Path: "/dashboard", Name: "Statistics"}, Link{Path: queuePath, Name: "Work queue"},
			Link{Path: "/dashboard/orders", Name: "Transactions"}, Link{Path: "/dashboard/books", Name: "Books"}, Link{Path: reportsPath, Name: "Reports"}, Link{Path: desksPath, Name: "Desks"}, Link{Path: courseListsPath, Name: "Courses"})
	}
	if meets {
		links = append(links, Link{Path: placesPath, Name: "Places to meet"})
	}
	links = append(links, Link{Path: "/dashboard/people", Name: "Users"})
	if owner && market {
		links = append(links, Link{Path: "/dashboard/tidy", Name: "Unlist old books"})
	}
	if owner {
		links = append(links, Link{Path: "/dashboard/applications", Name: "Applications"}, Link{Path: "/dashboard/audit", Name: "Audit log"},
			Link{Path: workPath, Name: "Background work"})
	}
	return links
}
