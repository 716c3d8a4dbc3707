// Package mailer delivers the messages of the outbox as mails.
//
// A Relay claims messages and gives them to a Publisher: either the Mailer, which
// composes mails and sends them, or a queue from which a mailer in another process
// takes them.
package mailer

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// A Publisher or Sender wraps one of these errors when it can say more than "try
// again". After any other error the relay retries the message.
var (
	// ErrPermanent means that no retry can succeed. The message becomes a dead letter.
	ErrPermanent = errors.New("will never be taken")
	// ErrUnreachable means that the receiver takes no message at present. The attempt
	// does not count.
	ErrUnreachable = errors.New("cannot be reached")
)

// Outbox holds messages until they are settled. Every adapter passes contract.Outbox.
type Outbox interface {
	// ClaimMessages leases at most n due messages until leaseUntil. Until then no
	// other caller, in any process, gets them. Urgent messages come first, then those
	// that are due longest. Of urgent messages of one kind to one person it claims only
	// the oldest, and the next one once that is settled, so that the newest code arrives
	// last. An older message that waits for a retry or has expired does not delay newer
	// ones; adding a newer one makes it due at once, so that it is still tried first.
	//
	// If it claims none, next is when a waiting message is due or a lease ends; zero if no
	// message waits, and not after now if one is due that waits for another one.
	ClaimMessages(ctx context.Context, now, leaseUntil time.Time, n int) (claimed []ClaimedMessage, next time.Time, err error)
	// SettleMessages records results of claimed messages. It erases the code and the
	// link unless the message is retried. A Retry under a lease that was lost changes
	// nothing; the other outcomes always apply, because they have already happened. A
	// Retry without a reason extends the lease, one with a reason ends it.
	SettleMessages(ctx context.Context, now time.Time, results []Result) error
	// WaitForMessages returns when ClaimMessages may find a message: at next, after a commit, of
	// any process, that has added messages or put some off, and now and then in case its
	// notification was lost. Of the goroutines that wait in a process, a commit wakes one.
	WaitForMessages(ctx context.Context, next time.Time)
	// WakeWaiting wakes one that waits in this process.
	WakeWaiting()

	// DeleteSettledMessages deletes at most n messages that were sent or opted out of
	// before sentBefore, or that became dead letters before deadBefore. It returns how
	// many it has deleted.
	DeleteSettledMessages(ctx context.Context, sentBefore, deadBefore time.Time, n int) (int, error)
	// ReadStats counts the messages in the outbox.
	ReadStats(ctx context.Context) (OutboxStats, error)
}

// ClaimedMessage is a message under lease. If Err is not nil, the message cannot be
// read, and only its ID, Kind and To are valid.
type ClaimedMessage struct {
	message.Message
	Attempt int // counts from 1
	Err     error
}

// Outcome says what became of a message. The values are labels of a metric.
type Outcome string

// The outcomes.
const (
	Sent     Outcome = "sent"     // the receiver has taken it
	Retry    Outcome = "wait"     // to be tried again
	Dead     Outcome = "dead"     // given up and stored for operators
	OptedOut Outcome = "declined" // its recipient has unsubscribed from such mails
)

// Result settles a message.
type Result struct {
	Message ClaimedMessage
	Outcome Outcome
	RetryAt time.Time // of Retry
	Attempt int       // of Retry: how many attempts count from now on
	Reason  string    // of Retry and Dead, for operators; never contains a secret
}

// OutboxStats measures the backlog of an outbox.
type OutboxStats struct {
	Waiting, Dead int
	Oldest        time.Time // creation of the oldest waiting message; zero if none waits
}

// Publisher takes messages out of the outbox.
type Publisher interface {
	// PublishMessages returns one error for each message, nil if it was taken.
	PublishMessages(ctx context.Context, messages []message.Message) []error
}

// Sender transmits mails.
type Sender interface {
	// SendMails returns one error for each mail, nil if it was taken.
	SendMails(ctx context.Context, mails []Mail) []error
}

// Mail is a composed message.
type Mail struct {
	message.Message
	Subject, Text, HTML string
	Picture             Picture // in the HTML; zero: none
	SentAt              time.Time
}

// OptOutStore stores who has unsubscribed from mails of optional kinds. Every adapter
// passes contract.OptOuts.
type OptOutStore interface {
	// AddOptOut unsubscribes an address. Repeating it changes nothing.
	AddOptOut(ctx context.Context, email user.Email, now time.Time) error
	// FindOptOuts returns which of the addresses have unsubscribed.
	FindOptOuts(ctx context.Context, emails []user.Email) (map[user.Email]bool, error)
}

// EndSubscription stops the mails about a subscription. Repeating it changes nothing, and an unknown
// one is ignored.
type EndSubscription func(ctx context.Context, subscription string) error

// Sealer encrypts, and tells what it has not encrypted: the address in an unsubscribe link, so that
// nobody can forge a link for someone else, and what waits in an outbox.
type Sealer interface {
	Seal(plain []byte) ([]byte, error)
	Open(sealed []byte) ([]byte, error)
}

// Meter counts the outcomes of messages.
type Meter interface {
	CountOutcome(kind message.Kind, o Outcome)
}

// Clock tells the time.
type Clock func() time.Time

// Now returns the time.
func (c Clock) Now() time.Time { return c() }
