package accountpages

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// personPages is what staff sees and does of one account, and invites to one.
func (p *Pages) personPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get("/dashboard/people/person", p.ForAdmins(p.person)).With("id={person}"),
			web.Post("/dashboard/people/role", p.ForOwners(p.changeRole)), web.Post("/dashboard/people/sessions", p.ForAdmins(p.endSessions)),
			web.Post("/dashboard/people/store", p.ForOwners(p.setStore)), web.Post(labelsPath, p.ForAdmins(p.setLabels)).Restores(web.Restored("Roles and groups", labelsForm(0, "", nil))),
			web.Post(linkPath, p.ForAdmins(p.linkForPerson)).Restores(web.Restored("Connect a sign-in", web.Form{Button: "Connect", Fields: []web.Field{subjectField}})),
			web.Post("/dashboard/people/suspend", p.ForAdmins(p.suspend)).Restores(web.Restored("Suspend", suspendForm(user.User{}, ""))),
			web.Post("/dashboard/people/unsuspend", p.ForAdmins(p.unsuspend)),
			web.Get("/dashboard/people/invite", p.ForAdmins(p.invitations)), web.Post(inviteForm.Action, p.ForAdmins(p.invite)).Restores(web.Restored("Invite", inviteForm)),
			web.Post("/dashboard/people/invite/revoke", p.ForAdmins(p.revokeInvitation)),
		},
		Flashes: map[string]string{
			"suspended":   "The account is suspended, and its owner was told why.",
			"unsuspended": "The suspension is lifted.",
			"linkedfor":   "The person can sign in with this service now.",
			"allended":    "All sessions of this account have ended.",
			"invited":     "The invitation is on its way.",
			"uninvited":   "The invitation was revoked.",
			"labelled":    "The roles and groups were changed.",
			"storeon":     "This is a campus store now.",
			"storeoff":    "This is no campus store any more.",
		},
	}
}

// personView is what admins see of one account.
type personView struct {
	User      user.User
	Devices   []session.Session
	TotpOn    bool
	Role      web.Form      // for owners
	Store     web.Form      // for owners of a market
	Suspend   web.Form      // for those who may
	Labels    labelsView    // roles and groups
	Link      web.Form      // a sign-in elsewhere, for those who may
	Entries   []audit.Entry // for owners, the newest ones
	Mine, May bool          // the viewer's own account; the viewer may administrate it
	Here      string
	Market    bool
	Books     []market.BookView // the newest that the user has posted
	Reports   []web.ReportCase  // about the user
}

// personEntries is how many entries of the audit log the page shows.
const personEntries = 20

// person serves GET /dashboard/people/person?id=.
func (p *Pages) person(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := web.IDOf[user.ID](r.URL.Query().Get("id"))
	u, err := p.Identity.Users.Find(r.Context(), by, id)
	if err != nil {
		return err
	}
	v := personView{User: u, Mine: id == by.ID, May: by.MustOutrank(u) == nil, Here: r.URL.RequestURI()}
	if v.Devices, err = p.Identity.Sessions.List(r.Context(), by, id); err != nil {
		return err
	}
	if v.TotpOn, err = p.Identity.SecondFactors.Enabled(r.Context(), by, id); err != nil {
		return err
	}
	if v.Labels, err = p.labelsOf(r, u, v); err != nil {
		return err
	}
	if v.May && !v.Mine {
		v.Link = p.linkForm(u, v.Here)
	}
	maySuspend, err := p.Identity.Users.MaySuspend(r.Context(), by, u)
	if err != nil {
		return err
	}
	if maySuspend {
		v.Suspend = suspendForm(u, v.Here)
	}
	if by.Role >= user.Owner {
		if err := p.addForOwners(r.Context(), by, &v); err != nil {
			return err
		}
	}
	if p.Market != nil {
		if err := p.addTrade(r.Context(), by, &v); err != nil {
			return err
		}
	}
	p.Render(w, r, http.StatusOK, "person", web.PageData{Lang: web.LangOf(r), Title: string(u.Email), Page: v})
	return nil
}

func (p *Pages) addForOwners(ctx context.Context, by user.Caller, v *personView) error {
	v.Role = roleForm(v.User, v.Here)
	if p.Market != nil {
		v.Store = storeForm(v.User, v.Here)
	}
	about := account.AuditFilter{User: v.User.ID}
	page, err := p.Identity.Users.AuditLog(ctx, by, account.AuditQuery{AuditFilter: about, First: personEntries})
	v.Entries = page.Entries
	return err
}

// addTrade adds what the person has offered, and what others have reported.
func (p *Pages) addTrade(ctx context.Context, by user.Caller, v *personView) (err error) {
	v.Market = true
	if v.Books, err = p.Market.BookAdmin.ListPosted(ctx, by, v.User.ID); err != nil {
		return err
	}
	reports, err := p.Market.Moderation.ListAbout(ctx, by, v.User.ID)
	v.Reports = p.CasesOf(reports, false)
	return err
}

// roles are the values of the choice of a role.
var roles = map[string]user.Role{"user": user.Regular, "admin": user.Admin, "owner": user.Owner}

func roleForm(u user.User, back string) web.Form {
	f := web.Form{
		Action: "/dashboard/people/role", Button: "Change role", Hidden: []web.Hidden{{Name: "id", Value: u.ID.String()}, {Name: "back", Value: back}},
		Fields: []web.Field{{Name: "role", Label: "Role", Type: "choice", Options: []web.Option{
			{Value: "user", Label: "user"}, {Value: "admin", Label: "admin"}, {Value: "owner", Label: "owner"},
		}}},
	}
	for name, role := range roles {
		if role == u.Role {
			f.Fields[0].Value = name
		}
	}
	return f
}

// changeRole serves POST /dashboard/people/role.
func (p *Pages) changeRole(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	role, ok := roles[r.PostForm.Get("role")]
	if !ok {
		return user.ErrRoleInvalid
	}
	_, err := p.Identity.Users.SetRole(r.Context(), by, web.IDOf[user.ID](r.PostForm.Get("id")), role)
	return p.Done(w, r, err, r.PostForm.Get("back"), "promoted")
}

func storeForm(u user.User, back string) web.Form {
	f := web.Form{Action: "/dashboard/people/store", Button: "Make a campus store", Hidden: []web.Hidden{{Name: "id", Value: u.ID.String()}, {Name: "back", Value: back}, {Name: "store", Value: "yes"}}}
	if u.Store {
		f.Button, f.Hidden[2].Value = "End the campus store", "no"
	}
	return f
}

// setStore serves POST /dashboard/people/store.
func (p *Pages) setStore(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	store := r.PostForm.Get("store") == "yes"
	if _, err := p.Identity.Users.SetStore(r.Context(), by, web.IDOf[user.ID](r.PostForm.Get("id")), store); err != nil {
		return err
	}
	flash := "storeoff"
	if store {
		flash = "storeon"
	}
	return p.Redirect(w, r, r.PostForm.Get("back"), flash)
}

func suspendForm(u user.User, back string) web.Form {
	f := web.Form{Action: "/dashboard/people/suspend", Button: "Suspend", Hidden: []web.Hidden{{Name: "id", Value: u.ID.String()}, {Name: "back", Value: back}}, Fields: []web.Field{
		{Name: "reason", Label: "Reason", Type: "lines", Max: user.MaxReason, Hint: "We email it to the person. All sessions end, and nobody can sign in to the account."},
	}}
	if u.Suspended() {
		f.Action, f.Button, f.Fields = "/dashboard/people/unsuspend", "Lift the suspension", nil
	}
	return f
}

// linkForm connects a sign-in elsewhere to somebody's account; without a field if there is no service.
func (p *Pages) linkForm(u user.User, back string) web.Form {
	if p.ExternalSignIn == nil {
		return web.Form{}
	}
	service := web.Field{Name: "provider", Label: "Service", Type: "choice"}
	for _, provider := range p.ExternalSignIn.Identities.Available() {
		service.Options = append(service.Options, web.Option{Value: provider.Name, Label: provider.Label})
	}
	return web.Form{Action: linkPath, Button: "Connect", Hidden: []web.Hidden{{Name: "id", Value: u.ID.String()}, {Name: "back", Value: back}}, Fields: []web.Field{
		service, subjectField,
	}}
}

// subjectField is who somebody is at a service.
var subjectField = web.Field{
	Name: "subject", Label: "Subject", Autocomplete: "off", Max: identity.MaxSubject,
	Hint: "The permanent ID of the person at the service. The audit log has it after a refused sign-in.",
}

const linkPath = "/dashboard/people/identity"

// linkForPerson serves POST /dashboard/people/identity.
func (p *Pages) linkForPerson(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if p.ExternalSignIn == nil {
		return identity.ErrUnknownProvider
	}
	err := p.ExternalSignIn.Identities.LinkFor(r.Context(), by, web.IDOf[user.ID](r.PostForm.Get("id")), r.PostForm.Get("provider"), strings.TrimSpace(r.PostForm.Get("subject")))
	return p.Done(w, r, err, r.PostForm.Get("back"), "linkedfor")
}

// suspend serves POST /dashboard/people/suspend.
func (p *Pages) suspend(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.Identity.Users.Suspend(r.Context(), by, web.IDOf[user.ID](r.PostForm.Get("id")), r.PostForm.Get("reason"))
	return p.Done(w, r, err, r.PostForm.Get("back"), "suspended")
}

// unsuspend serves POST /dashboard/people/unsuspend.
func (p *Pages) unsuspend(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.Identity.Users.Unsuspend(r.Context(), by, web.IDOf[user.ID](r.PostForm.Get("id")))
	return p.Done(w, r, err, r.PostForm.Get("back"), "unsuspended")
}

// endSessions serves POST /dashboard/people/sessions.
func (p *Pages) endSessions(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.Identity.Users.EndSessions(r.Context(), by, web.IDOf[user.ID](r.PostForm.Get("id")))
	return p.Done(w, r, err, r.PostForm.Get("back"), "allended")
}

type invitationsView struct {
	Invite web.Form
	Open   []account.Invitation
	Here   string
}

var inviteForm = web.Form{Action: "/dashboard/people/invite", Button: "Invite", Fields: []web.Field{emailField}}

// invitations serves GET /dashboard/people/invite.
func (p *Pages) invitations(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showInvitations(w, r, by, http.StatusOK, inviteForm)
}

func (p *Pages) showInvitations(w http.ResponseWriter, r *http.Request, by user.Caller, status int, f web.Form) error {
	open, err := p.Identity.Invitations.Open(r.Context(), by)
	if err != nil {
		return err
	}
	return p.Show(w, r, status, "invitations", "Invitations", invitationsView{f, open, r.URL.RequestURI()})
}

// invite serves POST /dashboard/people/invite.
func (p *Pages) invite(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.Identity.Invitations.Invite(r.Context(), by, r.PostForm.Get("email"), web.LangOf(r))
	if err != nil && web.CanRetry(err) {
		return p.showInvitations(w, r, by, httpx.Status(err), inviteForm.WithValues(r.PostForm).WithErrors(web.LangOf(r), err))
	}
	return p.Done(w, r, err, inviteForm.Action, "invited")
}

// revokeInvitation serves POST /dashboard/people/invite/revoke. One that is gone counts as
// revoked.
func (p *Pages) revokeInvitation(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Identity.Invitations.Revoke(r.Context(), by, web.IDOf[account.InvitationID](r.PostForm.Get("id")))
	if err != nil && !errors.Is(err, account.ErrInvitationNotFound) {
		return err
	}
	return p.Redirect(w, r, inviteForm.Action, "uninvited")
}
