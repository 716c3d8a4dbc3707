package graph

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/graph/graphgen"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/factors"
	"github.com/octavo-books/octavo/application/auth/sessions"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// This file converts between the types of the schema and those of the domain.

func toUser(u user.User, viewer user.Caller) *graphgen.User {
	shown := &graphgen.User{
		ID: u.ID.String(), Email: string(u.Email), Verified: u.Verified, Role: u.Role, CreatedAt: toTime(u.CreatedAt),
		Name: orNull(u.Name), Suspended: u.Suspended(), Account: u.ID, Viewer: viewer,
	}
	if u.Metadata != "" && viewer.SignedIn() && (viewer.ID == u.ID || viewer.Role >= user.Admin) {
		shown.Metadata = json.RawMessage(u.Metadata)
	}
	return shown
}

func toSession(s session.Session, viewer user.Caller) graphgen.Session {
	return graphgen.Session{
		ID: s.ID.String(), Current: s.ID == viewer.Session,
		CreatedAt: toTime(s.CreatedAt), LastSeenAt: toTime(s.LastUsedAt), ExpiresAt: toTime(s.ExpiresAt()),
		IP: s.IP, UserAgent: s.UserAgent,
		Browser: orNull(s.Device.Browser), OS: orNull(s.Device.OS), Device: orNull(s.Device.Model),
	}
}

// toSessions converts sessions. names are those of their applications.
func toSessions(all []session.Session, names map[string]string, viewer user.Caller) []graphgen.Session {
	out := make([]graphgen.Session, len(all))
	for i, s := range all {
		out[i] = toSession(s, viewer)
		if s.Client != "" {
			out[i].Application = &graphgen.Application{ID: s.Client, Name: names[s.Client]}
		}
	}
	return out
}

// toPayload converts a token pair for the user who got it.
func toPayload(g auth.TokenPair, from user.ClientInfo) *graphgen.AuthPayload {
	viewer := user.Caller{ID: g.User.ID, Session: g.Session.ID, Role: g.User.Role, From: from}
	s := toSession(g.Session, viewer)
	return &graphgen.AuthPayload{
		AccessToken: g.AccessToken, ExpiresIn: int(g.ExpiresIn / time.Second), RefreshToken: g.RefreshToken,
		Session: &s, User: toUser(g.User, viewer),
	}
}

func toCeremony(c factors.PasskeyCeremony, err error) (*graphgen.PasskeyCeremony, error) {
	if err != nil {
		return nil, err
	}
	return &graphgen.PasskeyCeremony{ID: c.ID, Options: c.Options}, nil
}

func toIdentities(all []identity.Identity) []graphgen.Identity {
	out := make([]graphgen.Identity, len(all))
	for i, one := range all {
		out[i] = graphgen.Identity{ID: one.ID.String(), Provider: one.Provider, Email: orNull(one.Email), CreatedAt: toTime(one.CreatedAt)}
	}
	return out
}

func toProviders(all []identity.Provider) []graphgen.IdentityProvider {
	out := make([]graphgen.IdentityProvider, len(all))
	for i, p := range all {
		out[i] = graphgen.IdentityProvider{Name: p.Name, Label: p.Label}
	}
	return out
}

func toPasskeys(all []passkey.Passkey) []graphgen.Passkey {
	out := make([]graphgen.Passkey, len(all))
	for i, p := range all {
		out[i] = toPasskey(p)
	}
	return out
}

func toPasskey(p passkey.Passkey) graphgen.Passkey {
	out := graphgen.Passkey{ID: p.ID.String(), Name: p.Name, CreatedAt: toTime(p.CreatedAt)}
	if !p.LastUsedAt.IsZero() {
		at := toTime(p.LastUsedAt)
		out.LastUsedAt = &at
	}
	return out
}

func toPersonalTokens(all []session.PersonalToken) []graphgen.PersonalToken {
	out := make([]graphgen.PersonalToken, len(all))
	for i, t := range all {
		out[i] = graphgen.PersonalToken{
			ID: t.ID.String(), Name: t.Name, Scopes: strings.Fields(t.Scopes), CreatedAt: toTime(t.CreatedAt),
			ExpiresAt: toTime(t.ExpiresAt),
		}
		if !t.LastUsedAt.IsZero() {
			at := toTime(t.LastUsedAt)
			out[i].LastUsedAt = &at
		}
	}
	return out
}

func toInvitations(all []account.Invitation) []graphgen.Invitation {
	out := make([]graphgen.Invitation, len(all))
	for i, v := range all {
		out[i] = graphgen.Invitation{
			ID: id.Format(int64(v.ID)), Email: string(v.Email), UserID: v.User.String(), InvitedBy: v.InvitedBy.String(),
			CreatedAt: toTime(v.CreatedAt), ExpiresAt: toTime(v.ExpiresAt),
		}
		if !v.AcceptedAt.IsZero() {
			at := toTime(v.AcceptedAt)
			out[i].AcceptedAt = &at
		}
	}
	return out
}

func toTokenInfo(i sessions.TokenInfo) *graphgen.TokenInfo {
	if !i.Active {
		return &graphgen.TokenInfo{}
	}
	owner, sid, expires := i.User.String(), i.Session.String(), toTime(i.ExpiresAt)
	return &graphgen.TokenInfo{Active: true, UserID: &owner, SessionID: &sid, Role: &i.Role, ExpiresAt: &expires}
}

func toUsers(p account.UserPage, viewer user.Caller) *graphgen.UserConnection {
	out := &graphgen.UserConnection{
		Edges:    make([]graphgen.UserEdge, len(p.Users)),
		PageInfo: &graphgen.PageInfo{HasNextPage: p.HasNext, EndCursor: orNull(p.EndCursor)},
	}
	for i, u := range p.Users {
		out.Edges[i] = graphgen.UserEdge{Cursor: p.Cursors[i], Node: toUser(u, viewer)}
	}
	return out
}

func toAuditLog(p account.AuditPage) *graphgen.AuditConnection {
	out := &graphgen.AuditConnection{
		Edges:    make([]graphgen.AuditEdge, len(p.Entries)),
		PageInfo: &graphgen.PageInfo{HasNextPage: p.HasNext, EndCursor: orNull(p.EndCursor)},
	}
	for i, e := range p.Entries {
		out.Edges[i] = graphgen.AuditEdge{Cursor: p.Cursors[i], Node: toAuditEntry(e)}
	}
	return out
}

func toAuditEntry(e audit.Entry) *graphgen.AuditEntry {
	out := &graphgen.AuditEntry{
		ID: id.Format(e.ID), At: toTime(e.At), Action: e.Action, Target: orNull(e.Target), IP: e.IP, Detail: e.Detail,
	}
	if e.Actor != 0 {
		out.Actor = orNull(e.Actor.String())
	}
	return out
}

func toTime(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// orDefault returns the value of an optional argument, or usual if it is absent or
// null.
func orDefault[T any](p *T, usual T) T {
	if p == nil {
		return usual
	}
	return *p
}

// noID is the id of nothing, because valid ids are positive.
const noID = -1

// parseID parses an id. An invalid one becomes noID, so that the use case checks
// permissions before it reports that nothing has this id.
func parseID[T ~int64](s string) T {
	n, ok := id.Parse(s)
	if !ok {
		return noID
	}
	return T(n)
}

func parseIDs[T ~int64](in []string) []T {
	out := make([]T, len(in))
	for i, s := range in {
		out[i] = parseID[T](s)
	}
	return out
}

// pageLength validates the argument first: 1 to 100. A value out of range becomes 0,
// which the use case refuses; its own limit is higher.
func pageLength(first *int, usual int) int {
	if n := orDefault(first, usual); n > 0 && n <= maxPage {
		return n
	}
	return 0
}
