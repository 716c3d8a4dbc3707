// Package retention describes what is kept about people.
package retention

// Record is one kind of data. Its texts are English; pages translate them.
type Record struct {
	What, Why, HowLong, Where string
}

// Where data is.
const (
	InDatabase = "database and its backups"
	InPhotos   = "photo store and its backups"
	InLog      = "log"
)

// How long data is kept.
const (
	WithAccount  = "as long as the account"
	UntilRemoved = "until you remove it"
	UntilEnded   = "until the session ends"
	Nameless     = "for ever, without your name once the account is deleted"
	TwoYears     = "two years"
	BySetting    = "as long as the operator has set"
)
