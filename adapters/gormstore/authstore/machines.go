package authstore

import (
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/machines"
	"github.com/octavo-books/octavo/domain/machine"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// secretRow is the secret of a machine or resource.
type secretRow struct {
	SecretHash, PreviousSecretHash digest
	PreviousSecretUntil            int64
}

func toSecretRow(s machine.Secret) secretRow {
	return secretRow{digest(s.Hash), digest(s.Previous), rawsql.Micros(s.PreviousUntil)}
}

func (r secretRow) secret() machine.Secret {
	return machine.Secret{Hash: machine.Hash(r.SecretHash), Previous: machine.Hash(r.PreviousSecretHash),
		PreviousUntil: rawsql.Time(r.PreviousSecretUntil)}
}

// machineRow is a machine client.
type machineRow struct {
	ID        string `gorm:"primaryKey"`
	Name      string
	Secret    secretRow `gorm:"embedded"`
	Keys      string
	KeysURL   string `gorm:"column:keys_url"`
	Resources string
	Scopes    string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
}

// TableName implements gorm's schema.Tabler.
func (machineRow) TableName() string { return "machines" }

func (r *machineRow) client() machine.Client {
	return machine.Client{
		ID: r.ID, Name: r.Name, Secret: r.Secret.secret(), Keys: r.Keys, KeysURL: r.KeysURL,
		Resources: fields(r.Resources), Scopes: fields(r.Scopes), CreatedAt: rawsql.Time(r.CreatedAt),
	}
}

// resourceRow is a resource.
type resourceRow struct {
	ID         string `gorm:"primaryKey"`
	Name       string
	Identifier string
	Scopes     string
	Secret     secretRow `gorm:"embedded"`
	CreatedAt  int64     `gorm:"autoCreateTime:false"`
}

// TableName implements gorm's schema.Tabler.
func (resourceRow) TableName() string { return "resources" }

func (r *resourceRow) resource() machine.Resource {
	return machine.Resource{
		ID: r.ID, Name: r.Name, Identifier: r.Identifier, Scopes: fields(r.Scopes), Secret: r.Secret.secret(),
		CreatedAt: rawsql.Time(r.CreatedAt),
	}
}

// FindMachine implements machines.Reader.
func (i *Identity) FindMachine(ctx context.Context, id string) (machine.Client, error) {
	found, err := rawsql.Take(ctx, table.Of[machineRow](i.db.Read).Where("id = ?", id), machine.ErrClientNotFound)
	return found.client(), err
}

// ListMachines implements machines.Reader.
func (i *Identity) ListMachines(ctx context.Context) ([]machine.Client, error) {
	rows, err := table.Of[machineRow](i.db.Read).Order("created_at, id").Find(ctx)
	return rawsql.Convert(rows, (*machineRow).client), err
}

// FindResource implements machines.Reader.
func (i *Identity) FindResource(ctx context.Context, id string) (machine.Resource, error) {
	found, err := rawsql.Take(ctx, table.Of[resourceRow](i.db.Read).Where("id = ?", id), machine.ErrResourceNotFound)
	return found.resource(), err
}

// FindResourceByIdentifier implements provider.Reader.
func (i *Identity) FindResourceByIdentifier(ctx context.Context, identifier string) (machine.Resource, error) {
	found, err := rawsql.Take(ctx, table.Of[resourceRow](i.db.Read).Where("identifier = ?", identifier), machine.ErrResourceNotFound)
	return found.resource(), err
}

// ListResources implements machines.Reader.
func (i *Identity) ListResources(ctx context.Context) ([]machine.Resource, error) {
	rows, err := table.Of[resourceRow](i.db.Read).Order("created_at, id").Find(ctx)
	return rawsql.Convert(rows, (*resourceRow).resource), err
}

// machineStore implements machines.Store within a transaction.
type machineStore struct{ tx *gorm.DB }

func (m machineStore) LockMachine(ctx context.Context, id string) (machine.Client, error) {
	found, err := rawsql.Take(ctx, table.Of[machineRow](m.tx, rawsql.ForUpdate).Where("id = ?", id), machine.ErrClientNotFound)
	return found.client(), err
}

func (m machineStore) CountMachines(ctx context.Context) (int, error) {
	if err := rawsql.On(m.tx).AdvisoryLock(ctx, "machines"); err != nil {
		return 0, err
	}
	n, err := table.Of[machineRow](m.tx).Count(ctx)
	return n, err
}

func (m machineStore) CountResources(ctx context.Context) (int, error) {
	if err := rawsql.On(m.tx).AdvisoryLock(ctx, "resources"); err != nil {
		return 0, err
	}
	n, err := table.Of[resourceRow](m.tx).Count(ctx)
	return n, err
}

func (m machineStore) SaveMachine(ctx context.Context, c machine.Client) error {
	return table.Of[machineRow](m.tx, clause.OnConflict{UpdateAll: true}).Create(ctx, &machineRow{
		ID: c.ID, Name: c.Name, Secret: toSecretRow(c.Secret), Keys: c.Keys, KeysURL: c.KeysURL,
		Resources: strings.Join(c.Resources, " "), Scopes: strings.Join(c.Scopes, " "), CreatedAt: rawsql.Micros(c.CreatedAt),
	})
}

func (m machineStore) DeleteMachine(ctx context.Context, id string) (int, error) {
	n, err := table.Of[machineRow](m.tx).Where("id = ?", id).Delete(ctx)
	if err == nil && n == 0 {
		err = machine.ErrClientNotFound
	}
	if err != nil {
		return 0, err
	}
	return table.Of[machineSessionRow](m.tx).Where("machine = ?", id).Delete(ctx)
}

func (m machineStore) LockResource(ctx context.Context, id string) (machine.Resource, error) {
	found, err := rawsql.Take(ctx, table.Of[resourceRow](m.tx, rawsql.ForUpdate).Where("id = ?", id), machine.ErrResourceNotFound)
	return found.resource(), err
}

func (m machineStore) SaveResource(ctx context.Context, r machine.Resource) error {
	err := table.Of[resourceRow](m.tx, clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, UpdateAll: true}).Create(ctx, &resourceRow{
		ID: r.ID, Name: r.Name, Identifier: r.Identifier, Scopes: strings.Join(r.Scopes, " "), Secret: toSecretRow(r.Secret),
		CreatedAt: rawsql.Micros(r.CreatedAt),
	})
	if gormstore.IsUnique(err) {
		return machine.ErrIdentifierTaken
	}
	return err
}

func (m machineStore) DeleteResource(ctx context.Context, id string) (int, error) {
	n, err := table.Of[resourceRow](m.tx).Where("id = ?", id).Delete(ctx)
	if err == nil && n == 0 {
		err = machine.ErrResourceNotFound
	}
	if err != nil {
		return 0, err
	}
	return table.Of[machineSessionRow](m.tx).Where("resource = ?", id).Delete(ctx)
}

// usedAssertionRow is an assertion that was used.
type usedAssertionRow struct {
	Digest    digest `gorm:"primaryKey"`
	ExpiresAt int64
}

// TableName implements gorm's schema.Tabler.
func (usedAssertionRow) TableName() string { return "used_assertions" }

func (m machineStore) UseAssertion(ctx context.Context, of [sha256.Size]byte, expiresAt time.Time) (bool, error) {
	n, err := rawsql.On(m.tx).Exec(ctx, `INSERT INTO used_assertions (digest, expires_at) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING`,
		digest(of), rawsql.Micros(expiresAt))
	return n == 1, err
}

// MachineStore opens the room's store.
func (*Identity) MachineStore(in auth.Stores) machines.Store { return in.Handle.(*stores) }
