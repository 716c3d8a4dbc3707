package web

import (
	"net/http"
	"slices"

	"github.com/octavo-books/octavo/domain/user"
)

// MePages leads to the viewer's own pages.
func (p *Pages) MePages() Feature {
	return Feature{Routes: []*Route{Get("/me", p.ForMembers(p.me))}}
}

// me serves GET /me: links to the viewer's own pages.
func (p *Pages) me(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	var groups []linkGroup
	if by.Student { // these pages would send others away
		groups = append(groups, linkGroup{"Books", p.menuOf(by, Students)})
	}
	groups = append(groups, linkGroup{"You", []Link{
		{"/account", "Account", "profile, password and devices"},
		{"/account/security", "Passkeys and second factor", "how you sign in"},
	}})
	return p.Show(w, r, http.StatusOK, "me", "Me", meView{groups})
}

type meView struct{ Groups []linkGroup }

// linkGroup is a list of links with a heading.
type linkGroup struct {
	Head  string
	Links []Link
}

// menuEntry is a link to a page. The page of the viewer, /me, lists those for students, the
// dashboard those for staff, each in the order of their positions.
type menuEntry struct {
	position    int
	name, about string
	shown       func() bool // nil: always
}

// menuOf returns the links to the pages for some audiences that admit the viewer.
func (p *Pages) menuOf(by user.Caller, audiences ...Audience) []Link {
	found := p.entriesOf(by, audiences...)
	links := make([]Link, len(found))
	for i, r := range found {
		links[i] = r.link()
	}
	return links
}

// link is the entry of a page in a menu.
func (r Route) link() Link { return Link{r.Path, r.menu.name, r.menu.about} }

// entriesOf returns the pages with entries for some audiences that admit the viewer, in their order.
func (p *Pages) entriesOf(by user.Caller, audiences ...Audience) (found []Route) {
	for _, r := range p.routes {
		e := r.menu
		if e != nil && r.Method == http.MethodGet && slices.Contains(audiences, r.For) && r.For.admits(by) == nil && (e.shown == nil || e.shown()) {
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b Route) int { return a.menu.position - b.menu.position })
	return found
}
