package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// personPages is what staff sees and does of one account, and invites to one.
func (p *Pages) personPages() feature {
	return feature{
		routes: []*Route{
			get("/dashboard/people/person", p.forAdmins(p.person)).with("id={person}"),
			post("/dashboard/people/role", p.forOwners(p.changeRole)), post("/dashboard/people/sessions", p.forAdmins(p.endSessions)),
			post("/dashboard/people/store", p.forOwners(p.setStore)),
			post(linkPath, p.forAdmins(p.linkForPerson)).restores(restored("Connect a sign-in", form{Button: "Connect", Fields: []field{subjectField}})),
			post("/dashboard/people/suspend", p.forAdmins(p.suspend)).restores(restored("Suspend", suspendForm(user.User{}, ""))),
			post("/dashboard/people/unsuspend", p.forAdmins(p.unsuspend)),
			get("/dashboard/people/invite", p.forAdmins(p.invitations)), post(inviteForm.Action, p.forAdmins(p.invite)).restores(restored("Invite", inviteForm)),
			post("/dashboard/people/invite/revoke", p.forAdmins(p.revokeInvitation)),
		},
		flashes: map[string]string{
			"suspended":   "The account is suspended, and its owner was told why.",
			"unsuspended": "The suspension is lifted.",
			"linkedfor":   "The person can sign in with this service now.",
			"allended":    "All sessions of this account have ended.",
			"invited":     "The invitation is on its way.",
			"uninvited":   "The invitation was revoked.",
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
	Role      form          // for owners
	Store     form          // for owners of a market
	Suspend   form          // for those who may
	Link      form          // a sign-in elsewhere, for those who may
	Entries   []audit.Entry // for owners, the newest ones
	Mine, May bool          // the viewer's own account; the viewer may administrate it
	Here      string
	Market    bool
	Books     []market.BookView // the newest that the user has posted
	Reports   []reportCase      // about the user
}

// personEntries is how many entries of the audit log the page shows.
const personEntries = 20

// person serves GET /dashboard/people/person?id=.
func (p *Pages) person(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	id := idOf[user.ID](r.URL.Query().Get("id"))
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
		v.Role = roleForm(u, v.Here)
		if p.Market != nil {
			v.Store = storeForm(u, v.Here)
		}
		page, err := p.Identity.Users.AuditLog(r.Context(), by, account.AuditQuery{AuditFilter: account.AuditFilter{User: id}, First: personEntries})
		if err != nil {
			return err
		}
		v.Entries = page.Entries
	}
	if v.Market = p.Market != nil; v.Market {
		if v.Books, err = p.Market.BookAdmin.ListPosted(r.Context(), by, id); err != nil {
			return err
		}
		reports, err := p.Market.Moderation.ListAbout(r.Context(), by, id)
		if err != nil {
			return err
		}
		v.Reports = p.casesOf(reports, false)
	}
	lang := langOf(r)
	p.render(w, r, http.StatusOK, "person", pageData{lang, string(u.Email), v})
	return nil
}

// roles are the values of the choice of a role.
var roles = map[string]user.Role{"user": user.Regular, "admin": user.Admin, "owner": user.Owner}

func roleForm(u user.User, back string) form {
	f := form{
		Action: "/dashboard/people/role", Button: "Change role", Hidden: []hidden{{"id", u.ID.String()}, {"back", back}},
		Fields: []field{{Name: "role", Label: "Role", Type: "choice", Options: []option{
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
	_, err := p.Identity.Users.SetRole(r.Context(), by, idOf[user.ID](r.PostForm.Get("id")), role)
	return p.done(w, r, err, r.PostForm.Get("back"), "promoted")
}

func storeForm(u user.User, back string) form {
	f := form{Action: "/dashboard/people/store", Button: "Make a campus store", Hidden: []hidden{{"id", u.ID.String()}, {"back", back}, {"store", "yes"}}}
	if u.Store {
		f.Button, f.Hidden[2].Value = "End the campus store", "no"
	}
	return f
}

// setStore serves POST /dashboard/people/store.
func (p *Pages) setStore(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	store := r.PostForm.Get("store") == "yes"
	if _, err := p.Identity.Users.SetStore(r.Context(), by, idOf[user.ID](r.PostForm.Get("id")), store); err != nil {
		return err
	}
	flash := "storeoff"
	if store {
		flash = "storeon"
	}
	return p.redirect(w, r, r.PostForm.Get("back"), flash)
}

func suspendForm(u user.User, back string) form {
	f := form{Action: "/dashboard/people/suspend", Button: "Suspend", Hidden: []hidden{{"id", u.ID.String()}, {"back", back}}, Fields: []field{
		{Name: "reason", Label: "Reason", Type: "lines", Max: 500, Hint: "We email it to the person. All sessions end, and nobody can sign in to the account."},
	}}
	if u.Suspended() {
		f.Action, f.Button, f.Fields = "/dashboard/people/unsuspend", "Lift the suspension", nil
	}
	return f
}

// linkForm connects a sign-in elsewhere to somebody's account; without a field if there is no service.
func (p *Pages) linkForm(u user.User, back string) form {
	if p.ExternalSignIn == nil {
		return form{}
	}
	service := field{Name: "provider", Label: "Service", Type: "choice"}
	for _, provider := range p.ExternalSignIn.Identities.Available() {
		service.Options = append(service.Options, option{Value: provider.Name, Label: provider.Label})
	}
	return form{Action: linkPath, Button: "Connect", Hidden: []hidden{{"id", u.ID.String()}, {"back", back}}, Fields: []field{
		service, subjectField,
	}}
}

// subjectField is who somebody is at a service.
var subjectField = field{
	Name: "subject", Label: "Subject", Autocomplete: "off", Max: identity.MaxSubject,
	Hint: "The permanent ID of the person at the service. The audit log has it after a refused sign-in.",
}

const linkPath = "/dashboard/people/identity"

// linkForPerson serves POST /dashboard/people/identity.
func (p *Pages) linkForPerson(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if p.ExternalSignIn == nil {
		return identity.ErrUnknownProvider
	}
	err := p.ExternalSignIn.Identities.LinkFor(r.Context(), by, idOf[user.ID](r.PostForm.Get("id")), r.PostForm.Get("provider"), strings.TrimSpace(r.PostForm.Get("subject")))
	return p.done(w, r, err, r.PostForm.Get("back"), "linkedfor")
}

// suspend serves POST /dashboard/people/suspend.
func (p *Pages) suspend(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.Identity.Users.Suspend(r.Context(), by, idOf[user.ID](r.PostForm.Get("id")), r.PostForm.Get("reason"))
	return p.done(w, r, err, r.PostForm.Get("back"), "suspended")
}

// unsuspend serves POST /dashboard/people/unsuspend.
func (p *Pages) unsuspend(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.Identity.Users.Unsuspend(r.Context(), by, idOf[user.ID](r.PostForm.Get("id")))
	return p.done(w, r, err, r.PostForm.Get("back"), "unsuspended")
}

// endSessions serves POST /dashboard/people/sessions.
func (p *Pages) endSessions(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.Identity.Users.EndSessions(r.Context(), by, idOf[user.ID](r.PostForm.Get("id")))
	return p.done(w, r, err, r.PostForm.Get("back"), "allended")
}

type invitationsView struct {
	Invite form
	Open   []account.Invitation
	Here   string
}

var inviteForm = form{Action: "/dashboard/people/invite", Button: "Invite", Fields: []field{emailField}}

// invitations serves GET /dashboard/people/invite.
func (p *Pages) invitations(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	return p.showInvitations(w, r, by, http.StatusOK, inviteForm)
}

func (p *Pages) showInvitations(w http.ResponseWriter, r *http.Request, by user.Caller, status int, f form) error {
	open, err := p.Identity.Invitations.Open(r.Context(), by)
	if err != nil {
		return err
	}
	return p.show(w, r, status, "invitations", "Invitations", invitationsView{f, open, r.URL.RequestURI()})
}

// invite serves POST /dashboard/people/invite.
func (p *Pages) invite(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	_, err := p.Identity.Invitations.Invite(r.Context(), by, r.PostForm.Get("email"), langOf(r))
	if err != nil && canRetry(err) {
		return p.showInvitations(w, r, by, httpx.Status(err), inviteForm.withValues(r.PostForm).withErrors(langOf(r), err))
	}
	return p.done(w, r, err, inviteForm.Action, "invited")
}

// revokeInvitation serves POST /dashboard/people/invite/revoke. One that is gone counts as
// revoked.
func (p *Pages) revokeInvitation(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Identity.Invitations.Revoke(r.Context(), by, idOf[account.InvitationID](r.PostForm.Get("id")))
	if err != nil && !errors.Is(err, account.ErrInvitationNotFound) {
		return err
	}
	return p.redirect(w, r, inviteForm.Action, "uninvited")
}
