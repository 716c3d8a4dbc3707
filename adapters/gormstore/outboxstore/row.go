package outboxstore

import (
	"encoding/json"
	"fmt"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// Sealer encrypts codes and links while they wait; see adapters/seal.
type Sealer interface {
	Seal(plain []byte) ([]byte, error)
	Open(sealed []byte) ([]byte, error)
}

// The states of a row. Only waiting rows change again.
const (
	waiting = iota
	sent
	dead
	optedOut
)

// row is a message in the outbox. Times are Unix microseconds.
type row struct {
	ID        int64 `gorm:"primaryKey;autoIncrement:false"`
	Kind      string
	Recipient string
	Lang      string
	Params    string
	Secret    []byte
	Priority  int
	State     int
	Tries     int
	DueAt     int64
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	ExpiresAt int64
	EndedAt   int64
	Error     string // of the last attempt; empty before the first and during an attempt

	Traceparent string
}

// TableName implements GORM's schema.Tabler.
func (row) TableName() string { return "outbox" }

// secret is the encrypted part of a row.
type secret struct {
	Code string `json:"code,omitempty"`
	Link string `json:"link,omitempty"`
}

func toRow(m message.Message, sealer Sealer) (row, error) {
	params, err := json.Marshal(m.Params)
	if err != nil {
		return row{}, err
	}
	r := row{
		ID: m.ID, Kind: string(m.Kind), Recipient: string(m.To), Lang: string(m.Lang), Params: string(params),
		Priority: 1, DueAt: rawsql.Micros(m.CreatedAt), CreatedAt: rawsql.Micros(m.CreatedAt), ExpiresAt: rawsql.Micros(m.ExpiresAt),
		Traceparent: m.Trace,
	}
	if m.Kind.Urgent() {
		r.Priority = 0
	}
	if m.Code != "" || m.Link != "" {
		r.Secret, err = sealSecret(secret{m.Code, m.Link}, sealer)
	}
	return r, err
}

func sealSecret(s secret, sealer Sealer) ([]byte, error) {
	plain, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return sealer.Seal(plain)
}

// toMessage reverses toRow. It returns an error if the secret was sealed with another key.
func (r row) toMessage(sealer Sealer) (message.Message, error) {
	m := message.Message{
		ID: r.ID, Kind: message.Kind(r.Kind), To: user.Email(r.Recipient), Lang: user.Lang(r.Lang),
		CreatedAt: rawsql.Time(r.CreatedAt), ExpiresAt: rawsql.Time(r.ExpiresAt),
		Trace: r.Traceparent,
	}
	if err := json.Unmarshal([]byte(r.Params), &m.Params); err != nil {
		return m, fmt.Errorf("parameters: %w", err)
	}
	if len(r.Secret) == 0 {
		return m, nil
	}
	plain, err := sealer.Open(r.Secret)
	if err != nil {
		return m, err
	}
	var s secret
	if err := json.Unmarshal(plain, &s); err != nil {
		return m, fmt.Errorf("secret: %w", err)
	}
	m.Code, m.Link = s.Code, s.Link
	return m, nil
}
