package auth

import (
	"encoding/json"
	"time"
)

// ExportedAccount is the account in an export. People keep exports, so fields may be added
// here and in its parts, but neither renamed nor removed.
type ExportedAccount struct {
	ID               string            `json:"id"`
	Email            string            `json:"email"`
	Verified         bool              `json:"verified"`
	Name             string            `json:"name"`
	Lang             string            `json:"lang"`
	Role             int               `json:"permissionType"`
	Profile          *ExportedProfile  `json:"profile"`
	Metadata         json.RawMessage   `json:"metadata"`
	Roles            []string          `json:"roles"`
	Groups           []string          `json:"groups"`
	HasPassword      bool              `json:"hasPassword"`
	AuthenticatorApp bool              `json:"authenticatorApp"`
	CreatedAt        time.Time         `json:"createdAt"`
	SuspendedAt      *time.Time        `json:"suspendedAt"`
	DeleteAt         *time.Time        `json:"deleteAt"`
	CampusStore      bool              `json:"campusStore"`
	Directory        ExportedDirectory `json:"directory"`

	Sessions               []ExportedSession       `json:"sessions"`
	Passkeys               []ExportedPasskey       `json:"passkeys"`
	Identities             []ExportedIdentity      `json:"identities"`
	Devices                []RecordedDevice        `json:"devices"`
	RememberedDevicesUntil []time.Time             `json:"rememberedDevicesUntil"`
	KnownNetworks          []ExportedNetwork       `json:"knownNetworks"`
	SignUps                []ExportedSignUp        `json:"signUps"`
	Invitations            []ExportedInvitation    `json:"invitations"`
	EmailChanges           []ExportedEmailChange   `json:"emailChanges"`
	Consents               []ExportedConsent       `json:"consents"`
	PersonalTokens         []ExportedPersonalToken `json:"personalTokens"`
	AuditLog               []ExportedAudit         `json:"auditLog"`
	Truncated              []string                `json:"truncated"`
}

// ExportedDirectory is what the directory of an institution says of the user.
type ExportedDirectory struct {
	ID         string `json:"id"`
	GivenName  string `json:"givenName"`
	FamilyName string `json:"familyName"`
}

// ExportedProfile is a student profile.
type ExportedProfile struct {
	FirstName       string `json:"firstName"`
	LastName        string `json:"lastName"`
	University      string `json:"university"`
	CampusMailbox   string `json:"campusMailbox"`
	PaymentUsername string `json:"paymentUsername"`
}

// ExportedSession is a session, maybe of an application.
type ExportedSession struct {
	ID          string    `json:"id"`
	CreatedAt   time.Time `json:"createdAt"`
	LastUsedAt  time.Time `json:"lastUsedAt"`
	ExpiresAt   time.Time `json:"expiresAt"`
	IP          string    `json:"ip"`
	UserAgent   string    `json:"userAgent"`
	Application string    `json:"application"`
	Scopes      string    `json:"scopes"`
}

// ExportedPasskey is a passkey without its key.
type ExportedPasskey struct {
	Name       string     `json:"name"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
}

// ExportedIdentity is an external sign-in.
type ExportedIdentity struct {
	Provider   string     `json:"provider"`
	Subject    string     `json:"subject"`
	Email      string     `json:"email"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
}

// ExportedNetwork is a KnownClient.
type ExportedNetwork struct {
	Network string    `json:"network"`
	Until   time.Time `json:"until"`
}

// ExportedSignUp is a sign-up of the account's address that waits for its confirmation.
type ExportedSignUp struct {
	CreatedAt time.Time        `json:"createdAt"`
	ExpiresAt time.Time        `json:"expiresAt"`
	Profile   *ExportedProfile `json:"profile"`
}

// ExportedInvitation is an invitation that the user was sent.
type ExportedInvitation struct {
	Email      string     `json:"email"`
	CreatedAt  time.Time  `json:"createdAt"`
	ExpiresAt  time.Time  `json:"expiresAt"`
	AcceptedAt *time.Time `json:"acceptedAt"`
}

// ExportedEmailChange is a change of the account's address.
type ExportedEmailChange struct {
	From        string     `json:"from"`
	To          string     `json:"to"`
	RequestedAt time.Time  `json:"requestedAt"`
	ConfirmedAt *time.Time `json:"confirmedAt"`
}

// ExportedConsent is what the user has allowed an application.
type ExportedConsent struct {
	Application string    `json:"application"`
	Scopes      string    `json:"scopes"`
	CreatedAt   time.Time `json:"createdAt"`
}

// ExportedPersonalToken is a personal access token without its text.
type ExportedPersonalToken struct {
	Name       string     `json:"name"`
	Scopes     string     `json:"scopes"`
	CreatedAt  time.Time  `json:"createdAt"`
	ExpiresAt  time.Time  `json:"expiresAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
}

// ExportedAudit is an entry of the audit log by or about the user.
type ExportedAudit struct {
	At     time.Time `json:"at"`
	Action string    `json:"action"`
	Detail string    `json:"detail"`
	ByYou  bool      `json:"byYou"`
	IP     string    `json:"ip"` // empty if it is another person's
}

// Moment is nil for the zero time.
func Moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
