package authstore

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// userRow is an account. The row of a deleted user stays with its id only, because
// orders, the ledger and the audit log refer to it.
type userRow struct {
	ID                int64 `gorm:"primaryKey;autoIncrement:false"`
	Email             string
	PasswordHash      string
	Role              int64
	Lang              string
	Verified          int64
	Epoch             int64
	CreatedAt         int64 `gorm:"autoCreateTime:false"`
	DisplayName       string
	Metadata          string
	SuspendedAt       sql.NullInt64
	DeleteAt          sql.NullInt64
	CampusStore       int64
	AdminBy           string
	AdminCampus       string
	Profile           *user.Profile `gorm:"embedded"` // all columns are null without one
	NameKey           sql.NullString
	BreakGlass        int64
	ExternalID        string
	GivenName         string
	FamilyName        string
	DirectoryInactive int64
}

func toUserRow(u *user.User) userRow {
	r := userRow{
		ID: int64(u.ID), Email: string(u.Email), PasswordHash: u.PasswordHash, Role: int64(u.Role), Lang: string(u.Lang),
		Verified: int64(rawsql.Flag(u.Verified)), Epoch: u.Epoch, CreatedAt: rawsql.Micros(u.CreatedAt), Profile: u.Profile,
		DisplayName: u.Name, Metadata: u.Metadata, SuspendedAt: instant(u.SuspendedAt), DeleteAt: instant(u.DeleteAt),
		CampusStore: int64(rawsql.Flag(u.Store)), AdminBy: u.AdminBy, AdminCampus: u.AdminCampus,
		BreakGlass: int64(rawsql.Flag(u.BreakGlass)),
		ExternalID: u.Directory.ExternalID, GivenName: u.Directory.GivenName, FamilyName: u.Directory.FamilyName,
		DirectoryInactive: int64(rawsql.Flag(u.Directory.Inactive)),
	}
	if u.Profile != nil {
		r.NameKey = sql.NullString{String: u.Profile.NameKey(), Valid: true}
	}
	return r
}

func (r *userRow) user() user.User {
	return user.User{
		ID: user.ID(r.ID), Email: user.Email(r.Email), PasswordHash: r.PasswordHash, Role: user.Role(r.Role), Lang: user.Lang(r.Lang),
		Verified: r.Verified == 1, Epoch: r.Epoch, CreatedAt: rawsql.Time(r.CreatedAt), Profile: r.Profile,
		Name: r.DisplayName, Metadata: r.Metadata, SuspendedAt: rawsql.Time(r.SuspendedAt.Int64), DeleteAt: rawsql.Time(r.DeleteAt.Int64),
		Store: r.CampusStore == 1, AdminBy: r.AdminBy, AdminCampus: r.AdminCampus, BreakGlass: r.BreakGlass == 1,
		Directory: user.Directory{
			ExternalID: r.ExternalID, GivenName: r.GivenName, FamilyName: r.FamilyName, Inactive: r.DirectoryInactive == 1,
		},
	}
}

// instant is null for the zero time.
func instant(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: rawsql.Micros(t), Valid: !t.IsZero()}
}

// AddUsers inserts accounts as part of tx.
func AddUsers(tx *gorm.DB, all ...user.User) error {
	return tx.CreateInBatches(rawsql.Convert(all, toUserRow), rawsql.RowsPerStatement).Error
}

// users implements auth.Store and account.Store within a transaction.
type users struct {
	tx              *gorm.DB
	onUserDeleted   OnUserDeleted
	onUserWithdrawn OnUserWithdrawn
	onUserRenamed   OnUserRenamed
	onUserMoves     OnUserMoves
}

func (u users) LockUser(ctx context.Context, id user.ID) (user.User, error) {
	found, err := rawsql.Take(ctx, table.Of[userRow](u.tx, rawsql.ForUpdate).Where("id = ? AND deleted_at IS NULL", int64(id)),
		user.ErrNotFound)
	return found.user(), err
}

func (u users) LockUserByEmail(ctx context.Context, email user.Email) (user.User, error) {
	found, err := rawsql.Take(ctx, table.Of[userRow](u.tx, rawsql.ForUpdate).Where("email = ?", string(email)), user.ErrNotFound)
	return found.user(), err
}

func (u users) LockOwners(ctx context.Context) (ids []user.ID, err error) {
	err = table.Of[userRow](u.tx, rawsql.ForUpdate).Select("id").Where("role = 2 AND verified <> 0 AND deleted_at IS NULL AND suspended_at IS NULL AND delete_at IS NULL").Order("id").Scan(ctx, &ids)
	return ids, err
}

func (u users) SaveUser(ctx context.Context, saved user.User) error {
	row := toUserRow(&saved)
	if err := u.noteName(ctx, &row); err != nil {
		return err
	}
	err := table.Of[userRow](u.tx, clause.OnConflict{UpdateAll: true}).Create(ctx, &row)
	if gormstore.IsUnique(err) {
		return user.ErrEmailTaken
	}
	return err
}

// noteName calls the hook if the row, which the caller has locked, has another name so far. A user
// without a profile has no name that others know.
func (u users) noteName(ctx context.Context, row *userRow) error {
	if u.onUserRenamed == nil || row.Profile == nil {
		return nil
	}
	all, err := table.Of[userRow](u.tx).Select("first_name", "university").Where("id = ? AND first_name IS NOT NULL", row.ID).Find(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	if old := all[0].Profile; old.FirstName != row.Profile.FirstName || old.University != row.Profile.University {
		u.onUserRenamed(u.tx, user.ID(row.ID))
	}
	return nil
}

// EraseUsers locks the users' rows first, in the order in which every transaction for a
// user locks them.
func (u users) EraseUsers(ctx context.Context, ids []user.ID, now time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	all := rawsql.Padded(ids)
	rows, err := table.Of[userRow](u.tx, rawsql.ForUpdate).Where("id IN ?", all).Order("id").Find(ctx)
	if err != nil {
		return err
	}
	emails, err := u.formerEmails(ids)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if email := user.Email(r.Email); email != "" && !slices.Contains(emails, email) {
			emails = append(emails, email)
		}
	}
	if err := u.eraseCodeMails(ids); err != nil {
		return err
	}
	if err := u.eraseRest(all, emails); err != nil {
		return err
	}
	if u.onUserDeleted != nil { // the hook may still need the names
		if err := u.onUserDeleted(u.tx, ids, now); err != nil {
			return err
		}
	}
	if err := outboxstore.EraseRecipients(u.tx, emails...); err != nil {
		return err
	}
	if err := outboxstore.EraseNames(u.tx, firstNames(rows)...); err != nil {
		return err
	}
	_, err = table.Of[userRow](u.tx).Where("id IN ?", all).Assign(ctx, map[string]any{
		"email": nil, "password_hash": "", "role": 0, "verified": 0, "epoch": gorm.Expr("epoch + 1"), "deleted_at": now.UnixMicro(),
		"first_name": nil, "last_name": nil, "university": nil, "campus_mailbox": nil, "payment_username": nil, "name_key": nil,
		"display_name": "", "metadata": "", "suspended_at": nil, "delete_at": nil, "campus_store": 0,
		"admin_by": "", "admin_campus": "", "break_glass": 0,
		"external_id": "", "given_name": "", "family_name": "", "directory_inactive": 0,
	})
	return err
}

func (u users) CheckMove(_ context.Context, id user.ID) error {
	if u.onUserMoves == nil {
		return nil
	}
	return u.onUserMoves(u.tx, id)
}

// firstNames returns the names by which others know the users.
func firstNames(rows []userRow) (all []string) {
	for _, r := range rows {
		if r.Profile != nil && r.Profile.FirstName != "" {
			all = append(all, r.Profile.FirstName)
		}
	}
	return all
}

func (u users) WithdrawUser(_ context.Context, w user.Withdrawal, now time.Time) error {
	if u.onUserWithdrawn == nil {
		return nil
	}
	return u.onUserWithdrawn(u.tx, w, now)
}

// eraseRest deletes the users' rows in other tables.
func (u users) eraseRest(ids []user.ID, emails []user.Email) error {
	for _, row := range []any{
		&invitationRow{}, &ceremonyRow{}, &emailChangeRow{}, &identityRow{}, &passkeyRow{}, &secondFactorRow{}, &rememberedDeviceRow{},
		&grantRow{}, &personalTokenRow{}, &labelRow{}, &deviceRow{}, &knownClientRow{},
		&sessionRow{}, &clientSignInRow{}, &serviceSignInRow{},
	} {
		if err := u.tx.Where("user_id IN ?", ids).Delete(row).Error; err != nil {
			return err
		}
	}
	for _, row := range []any{&signupRow{}, &challengeRow{}} {
		if err := u.tx.Where("email IN ?", emails).Delete(row).Error; err != nil {
			return err
		}
	}
	// Their own words, unlike those of staff about a decision.
	return u.tx.Model(&auditRow{}).Where("actor IN ? AND action = ? AND detail <> ''", ids, "order.withdrawn").
		Updates(map[string]any{"detail": ""}).Error
}
