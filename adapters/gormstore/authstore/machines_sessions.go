package authstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/domain/user"
)

// machineSessionRow is an access token of a machine client.
type machineSessionRow struct {
	ID        user.SessionID `gorm:"primaryKey;autoIncrement:false"`
	Machine   string
	Resource  string
	Scopes    string
	IP        string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	ExpiresAt int64
}

// TableName implements gorm's schema.Tabler.
func (machineSessionRow) TableName() string { return "machine_sessions" }

func (r *machineSessionRow) session() machine.Session {
	return machine.Session{
		ID: r.ID, Client: r.Machine, Resource: r.Resource, Scopes: r.Scopes, IP: r.IP, CreatedAt: rawsql.Time(r.CreatedAt),
		ExpiresAt: rawsql.Time(r.ExpiresAt),
	}
}

// selectMachineSession is read by every introspection. See sessions_state.go.
const selectMachineSession = `SELECT s.id, s.machine, s.resource, s.scopes, s.ip, s.created_at, s.expires_at, m.name, m.resources, m.scopes
	FROM machine_sessions s JOIN machines m ON m.id = s.machine
	WHERE s.id = ?`

// sessionOfMachine is a session with its client.
type sessionOfMachine struct {
	machine.Session
	client machine.Client
}

func scanMachineSession() ([]any, func() sessionOfMachine) {
	var s machineSessionRow
	var m machineRow
	columns := []any{&s.ID, &s.Machine, &s.Resource, &s.Scopes, &s.IP, &s.CreatedAt, &s.ExpiresAt, &m.Name, &m.Resources, &m.Scopes}
	return columns, func() sessionOfMachine {
		client := machine.Client{ID: s.Machine, Name: m.Name, Resources: fields(m.Resources), Scopes: fields(m.Scopes)}
		return sessionOfMachine{s.session(), client}
	}
}

// FindMachineSession implements machines.Reader.
func (i *Identity) FindMachineSession(ctx context.Context, id user.SessionID) (machine.Session, machine.Client, error) {
	found, err := find(ctx, i.hot, machine.ErrSessionNotFound, scanMachineSession, selectMachineSession, int64(id))
	return found.Session, found.client, err
}

// ListMachineSessions implements machines.Reader.
func (i *Identity) ListMachineSessions(ctx context.Context, client string) ([]machine.Session, error) {
	rows, err := table.Of[machineSessionRow](i.db.Read).Where("machine = ?", client).Order("id DESC").
		Limit(2 * machine.MaxSessions).Find(ctx)
	return rawsql.Convert(rows, (*machineSessionRow).session), err
}

func (m machineStore) AddMachineSession(ctx context.Context, s machine.Session, n int) error {
	err := table.Of[machineSessionRow](m.tx).Create(ctx, &machineSessionRow{
		ID: s.ID, Machine: s.Client, Resource: s.Resource, Scopes: s.Scopes, IP: s.IP, CreatedAt: rawsql.Micros(s.CreatedAt),
		ExpiresAt: rawsql.Micros(s.ExpiresAt),
	})
	if err != nil {
		return err
	}
	_, err = rawsql.On(m.tx).Exec(ctx, `DELETE FROM machine_sessions WHERE machine = ? AND id <=
		(SELECT id FROM machine_sessions WHERE machine = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`, s.Client, s.Client, n)
	return err
}

func (m machineStore) DeleteMachineSession(ctx context.Context, client string, id user.SessionID) error {
	n, err := table.Of[machineSessionRow](m.tx).Where("id = ? AND machine = ?", int64(id), client).Delete(ctx)
	if err == nil && n == 0 {
		err = machine.ErrSessionNotFound
	}
	return err
}
