package accountpages

import (
	"net/http"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/user"
)

const labelsPath = "/dashboard/people/labels"

// labelsView shows the roles and groups of somebody: those by the rules of services as they are, the others in a form for
// those who may change them.
type labelsView struct {
	Roles, Groups []string
	Form          web.Form
}

// labelsOf returns the roles and groups of a user for the page.
func (p *Pages) labelsOf(r *http.Request, u user.User, v personView) (labelsView, error) {
	all, err := p.Identity.Users.LabelsOf(r.Context(), u.ID)
	if err != nil {
		return labelsView{}, err
	}
	shown := labelsView{Roles: user.LabelNames(all, user.RoleLabel), Groups: user.LabelNames(all, user.GroupLabel)}
	if !v.May {
		return shown, nil
	}
	shown.Form = labelsForm(u.ID, v.Here, slices.DeleteFunc(all, func(l user.Label) bool { return l.Source != "" }))
	return shown, nil
}

// labelsForm changes the labels that admins have given somebody.
func labelsForm(of user.ID, back string, byAdmins []user.Label) web.Form {
	lines := func(name, label string, kind user.LabelKind) web.Field {
		return web.Field{
			Name: name, Label: label, Type: "lines", Value: strings.Join(user.LabelNames(byAdmins, kind), "\n"), Max: 6_000, Optional: true, Hint: "One a line.",
		}
	}
	return web.Form{
		Action: labelsPath, Button: "Change roles and groups", Hidden: []web.Hidden{{Name: "id", Value: of.String()}, {Name: "back", Value: back}},
		Fields: []web.Field{lines("roles", "Roles", user.RoleLabel), lines("groups", "Groups", user.GroupLabel)},
	}
}

// setLabels serves POST /dashboard/people/labels.
func (p *Pages) setLabels(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := web.IDOf[user.ID](r.PostForm.Get("id"))
	names := map[user.LabelKind][]string{}
	for field, kind := range map[string]user.LabelKind{"roles": user.RoleLabel, "groups": user.GroupLabel} {
		if r.PostForm.Has(field) {
			names[kind] = linesOf(r.PostForm.Get(field))
		}
	}
	_, err := p.Identity.Users.SetLabels(r.Context(), by, id, names)
	return p.Done(w, r, err, r.PostForm.Get("back"), "labelled")
}

// linesOf returns the lines of a text that are not blank.
func linesOf(typed string) (all []string) {
	for line := range strings.Lines(typed) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}
