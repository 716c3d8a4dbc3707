// Package courier takes what waits in the outbox to the people it is for.
//
// A Relay claims messages and gives them to a Carrier: the Mailer, which puts
// them into words and sends them, or a queue where a mailer elsewhere takes over.
package courier

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// What a Carrier or Sender says of a message that it could not take, besides
// any other error, after which it is tried again later.
var (
	// ErrHopeless: no later try will do better. The message is dead.
	ErrHopeless = errors.New("will never be taken")
	// ErrUnreachable: nobody is there to take any message. No try is counted.
	ErrUnreachable = errors.New("cannot be reached")
)

// Outbox keeps messages until they are settled. Every adapter passes
// contract.Outbox.
type Outbox interface {
	// Claim takes at most n messages that are due and leases them until the
	// given time: nobody gets them before, in no process. Urgent ones come
	// first, then those due longest. Of urgent ones of one kind to one person only
	// the oldest is taken and the next one when it is settled, so that the newest
	// code arrives last. One that waits for another try or has expired holds up no
	// newer one; when a newer one is added, it is tried once more before that.
	Claim(ctx context.Context, now, until time.Time, n int) ([]Claimed, error)
	// Settle notes outcomes of claimed messages. A code and a link are erased
	// unless the message waits on. An outcome of Wait for a lease that has been
	// lost changes nothing; the others hold, for they are facts. One of Wait without
	// a reason makes the lease longer, one with a reason ends it.
	Settle(ctx context.Context, now time.Time, outcomes []Outcome) error
	// Added is rung when this process has added messages.
	Added() <-chan struct{}
}

// Upkeep is what else is done with an outbox. Every adapter passes
// contract.Outbox.
type Upkeep interface {
	// Sweep drops at most n messages that were sent or declined before sent, or
	// that died before dead, and says how many.
	Sweep(ctx context.Context, sent, dead time.Time, n int) (int, error)
	// Census counts what is in the outbox.
	Census(ctx context.Context) (Census, error)
}

// Claimed is a message under lease. Err says why it cannot be read: then only
// ID, Kind and To are good.
type Claimed struct {
	message.Message
	Try int // 1 at the first
	Err error
}

// Verdict is what became of a message.
type Verdict string

// The verdicts.
const (
	Sent     Verdict = "sent"     // taken by whom it was given to
	Wait     Verdict = "wait"     // to be tried again
	Dead     Verdict = "dead"     // given up, kept for people to see
	Declined Verdict = "declined" // its reader asked not to get such mails
)

// Outcome settles a message.
type Outcome struct {
	Claimed Claimed
	Verdict Verdict
	Due     time.Time // of Wait: when to try again
	Try     int       // of Wait: how many tries count from now on
	Reason  string    // for operators, of Wait and Dead; never a secret
}

// Census is how full the outbox is.
type Census struct {
	Waiting, Dead int
	Oldest        time.Time // when the oldest waiting one was written; zero if none waits
}

// Carrier takes messages out of the outbox..
type Carrier interface {
	// Carry answers with one error for each message, nil where it was taken.
	Carry(ctx context.Context, messages []message.Message) []error
}

// Sender hands mails over for good.
type Sender interface {
	// Send answers with one error for each mail, nil where it was taken.
	Send(ctx context.Context, mails []Mail) []error
}

// Mail is a message in words.
type Mail struct {
	message.Message
	Subject, Text, HTML string
	SentAt              time.Time
}

// Mailbox keeps mails for developers to read. A mail that it has is kept once.
// Every adapter passes contract.Mailbox.
type Mailbox interface {
	Sender
	// Mails are at most n of those to one person, or to all when to is empty,
	// newest first.
	Mails(ctx context.Context, to user.Email, n int) ([]Mail, error)
}

// Optouts remembers who does without the mails of optional kinds. Every adapter
// passes contract.Optouts.
type Optouts interface {
	// Decline notes it; twice is fine.
	Decline(ctx context.Context, who user.Email, now time.Time) error
	// Declined tells which of these people did.
	Declined(ctx context.Context, who []user.Email) (map[user.Email]bool, error)
}

// Sealer encrypts the address in an unsubscribe link, so that nobody can write
// a link for somebody else.
type Sealer interface {
	Seal(plain []byte) ([]byte, error)
	Open(sealed []byte) ([]byte, error)
}

// Meter counts what became of messages.
type Meter interface {
	Settled(kind message.Kind, v Verdict)
}

// Clock tells the time.
type Clock interface{ Now() time.Time }
