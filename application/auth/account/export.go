package account

import (
	"context"
	"encoding/json"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/user"
)

// maxExported limits each list of an export; the newest entries are kept.
const maxExported = 5000

// exportRule limits the exports of one user, which read everything.
var exportRule = limit.Rule{Burst: 5, Period: time.Hour}

// Exports returns all stored data about a user.
type Exports struct {
	*unit
	others map[string]DataExporter // of the other components, by name
}

// Mine returns all stored data about the caller as a JSON object, without secrets and their
// digests: the account and its sign-ins under "account", and the data of each other component
// under its name. Of a list with more than 5,000 entries it has the newest, and the list's
// name is in "truncated". It requires a recent proof of identity.
func (e *Exports) Mine(ctx context.Context, by user.Caller) (json.RawMessage, error) {
	if err := e.MustHaveProved(ctx, by); err != nil {
		return nil, err
	}
	if err := e.AllowRequests(ctx, limit.Request{Name: "exports of " + by.ID.String(), Rule: exportRule}); err != nil {
		return nil, err
	}
	return e.all(ctx, by.ID)
}

// all reads what is stored about a user.
func (e *Exports) all(ctx context.Context, of user.ID) (json.RawMessage, error) {
	account, err := e.account(ctx, of)
	if err != nil {
		return nil, err
	}
	all := map[string]any{"exportedAt": e.Now(), "account": account}
	for name, component := range e.others {
		if all[name], err = component(ctx, of, maxExported); err != nil {
			return nil, err
		}
	}
	return json.Marshal(all)
}

func (e *Exports) account(ctx context.Context, of user.ID) (auth.ExportedAccount, error) {
	u, err := e.Storage.FindUser(ctx, of)
	if err != nil {
		return auth.ExportedAccount{}, err
	}
	labels, err := e.Storage.ListLabels(ctx, u.ID)
	if err != nil {
		return auth.ExportedAccount{}, err
	}
	out := exportedUser(u)
	out.Roles, out.Groups = user.LabelNames(labels, user.RoleLabel), user.LabelNames(labels, user.GroupLabel)
	for _, read := range []func(context.Context, user.User, *auth.ExportedAccount) error{
		e.exportAudit, e.exportRecords,
	} {
		if err := read(ctx, u, &out); err != nil {
			return auth.ExportedAccount{}, err
		}
	}
	for _, export := range e.Hooks.Exports {
		if err := export(ctx, u.ID, &out); err != nil {
			return auth.ExportedAccount{}, err
		}
	}
	return out, nil
}

// exportAudit leaves out the IP addresses of other people, such as admins.
func (e *Exports) exportAudit(ctx context.Context, u user.User, out *auth.ExportedAccount) error {
	entries, err := e.reader.ListAuditEntries(ctx, AuditFilter{User: u.ID}, 0, maxExported+1)
	if err != nil {
		return err
	}
	if len(entries) > maxExported {
		entries, out.Truncated = entries[:maxExported], append(out.Truncated, "auditLog")
	}
	for _, a := range entries {
		entry := auth.ExportedAudit{At: a.At, Action: a.Action, Detail: a.Detail, ByYou: a.Actor == u.ID}
		if a.Actor == u.ID || a.Actor == 0 {
			entry.IP = a.IP
		}
		out.AuditLog = append(out.AuditLog, entry)
	}
	return nil
}

func (e *Exports) exportRecords(ctx context.Context, u user.User, out *auth.ExportedAccount) error {
	r, err := e.reader.ReadAccountRecords(ctx, u, maxExported)
	if err != nil {
		return err
	}
	for _, k := range r.KnownClients {
		out.KnownNetworks = append(out.KnownNetworks, auth.ExportedNetwork{Network: k.Key, Until: k.Until})
	}
	for _, s := range r.Registrations {
		out.SignUps = append(out.SignUps, auth.ExportedSignUp{
			CreatedAt: s.CreatedAt, ExpiresAt: s.ExpiresAt, Profile: exportedProfile(s.Profile),
		})
	}
	for _, i := range r.Invitations {
		out.Invitations = append(out.Invitations, auth.ExportedInvitation{
			Email: string(i.Email), CreatedAt: i.CreatedAt, ExpiresAt: i.ExpiresAt, AcceptedAt: auth.Moment(i.AcceptedAt),
		})
	}
	for _, c := range r.EmailChanges {
		out.EmailChanges = append(out.EmailChanges, auth.ExportedEmailChange{
			From: string(c.From), To: string(c.To), RequestedAt: c.RequestedAt, ConfirmedAt: auth.Moment(c.ConfirmedAt),
		})
	}
	out.RememberedDevicesUntil = r.RememberedUntil
	return nil
}

func exportedUser(u user.User) auth.ExportedAccount {
	out := auth.ExportedAccount{
		ID: u.ID.String(), Email: string(u.Email), Verified: u.Verified, Name: u.Name, Lang: string(u.Lang), Role: int(u.Role),
		Profile: exportedProfile(u.Profile), HasPassword: u.PasswordHash != "", CreatedAt: u.CreatedAt,
		SuspendedAt: auth.Moment(u.SuspendedAt), DeleteAt: auth.Moment(u.DeleteAt), CampusStore: u.Store,
		Directory: auth.ExportedDirectory{ID: u.Directory.ExternalID, GivenName: u.Directory.GivenName, FamilyName: u.Directory.FamilyName},
	}
	if u.Metadata != "" {
		out.Metadata = json.RawMessage(u.Metadata)
	}
	return out
}

func exportedProfile(p *user.Profile) *auth.ExportedProfile {
	if p == nil {
		return nil
	}
	return &auth.ExportedProfile{
		FirstName: p.FirstName, LastName: p.LastName, University: p.University,
		CampusMailbox: p.CampusMailbox, PaymentUsername: p.PaymentUsername,
	}
}
