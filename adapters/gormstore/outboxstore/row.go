package outboxstore

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// Sealer encrypts codes and links while they wait; see adapters/seal.
type Sealer = mailer.Sealer

// The states of a row. Only waiting rows change again.
const (
	waiting = iota
	sent
	dead
	optedOut
)

// row is a message in the outbox.
type row struct {
	ID          int64 `gorm:"primaryKey;autoIncrement:false"`
	Kind        message.Kind
	Recipient   user.Email
	Lang        user.Lang
	Params      string // JSON
	Secret      []byte // encrypted; null without a code or link
	Priority    int
	State       int
	Tries       int
	DueAt       time.Time `gorm:"serializer:micros"`
	CreatedAt   time.Time `gorm:"serializer:micros;autoCreateTime:false"`
	ExpiresAt   time.Time `gorm:"serializer:micros"`
	EndedAt     time.Time `gorm:"serializer:micros"`
	Error       string    // of the last attempt; empty before the first and during an attempt
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
		ID: m.ID, Kind: m.Kind, Recipient: m.To, Lang: m.Lang, Params: string(params), Priority: 1,
		DueAt: m.CreatedAt, CreatedAt: m.CreatedAt, ExpiresAt: m.ExpiresAt, Traceparent: m.Trace,
	}
	if m.Kind.Urgent() {
		r.Priority = 0
	}
	if m.Code == "" && m.Link == "" {
		return r, nil
	}
	plain, err := json.Marshal(secret{m.Code, m.Link})
	if err == nil {
		r.Secret, err = sealer.Seal(plain)
	}
	return r, err
}

// toMessage reverses toRow. It returns an error if the secret was sealed with another key.
func (r row) toMessage(sealer Sealer) (message.Message, error) {
	m := message.Message{
		ID: r.ID, Kind: r.Kind, To: r.Recipient, Lang: r.Lang,
		CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt, Trace: r.Traceparent,
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
