package auth

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// DueDeletionReader finds accounts whose owners have asked to delete them.
// authcontract.UseCases tests it.
type DueDeletionReader interface {
	// ListDueDeletions returns at most n accounts whose DeleteAt has come at now, the
	// earliest first.
	ListDueDeletions(ctx context.Context, now time.Time, n int) ([]user.User, error)
}

// EmailChangeStore stores changes of addresses. authcontract.UseCases tests it.
type EmailChangeStore interface {
	// PutEmailChange inserts or updates a change.
	PutEmailChange(ctx context.Context, c user.EmailChange) error
	// LockEmailChange returns a change; challenge.ErrCodeInvalid if there is none.
	LockEmailChange(ctx context.Context, id int64) (user.EmailChange, error)
	// DeleteEmailChanges deletes a user's changes with this id or a later one, and returns
	// them, oldest first.
	DeleteEmailChanges(ctx context.Context, of user.ID, from int64) ([]user.EmailChange, error)
	// IsEmailReserved reports whether another user than except has given up an address by a
	// confirmed change that was requested less than user.UndoPeriod before now.
	IsEmailReserved(ctx context.Context, address user.Email, except user.ID, now time.Time) (bool, error)
	// CopyOptOut unsubscribes an address from optional mails if another one is.
	CopyOptOut(ctx context.Context, from, to user.Email) error
}

// ReportedReader is another component in which people are reported.
type ReportedReader interface {
	// ListReporting lists the universities whose admins look after a report about a user, open
	// or not.
	ListReporting(ctx context.Context, of user.ID) ([]string, error)
}

// DataExporter is another component that stores data about users.
type DataExporter interface {
	// ExportData returns what the component stores about a user, as a value for
	// json.Marshal: at most limit entries of each list, the newest.
	ExportData(ctx context.Context, of user.ID, limit int) (any, error)
}

// AccountRecords are stored data that only an export reads. Lists are oldest first.
type AccountRecords struct {
	KnownClients    []KnownClient
	Registrations   []user.Registration // of the user's address
	Invitations     []Invitation        // that the user was sent, open or not
	EmailChanges    []user.EmailChange
	RememberedUntil []time.Time // when each remembered device is forgotten
}

// RecordedDevice is a browser and system with which a user has signed in.
type RecordedDevice struct {
	Name        string    `json:"name"`
	FirstSeenAt time.Time `json:"firstSeenAt,omitzero"`
}

// AccountRecordReader reads AccountRecords, at most n of each kind. authcontract.UseCases
// tests it.
type AccountRecordReader interface {
	ReadAccountRecords(ctx context.Context, of user.User, n int) (AccountRecords, error)
}
