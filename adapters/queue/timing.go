package queue

import "time"

// timing says when a message of a crashed mailer becomes available. Handling must end
// before the lease in the ledger, and the lease before the broker redelivers: the next
// mailer then finds the message free.
type timing struct {
	handling, lease, redelivery time.Duration
	fetchWait                   time.Duration // how long a fetch waits for a message
	unconsumed                  time.Duration // how long messages may wait without a mailer
}

func defaultTiming() timing {
	return timing{
		handling: 30 * time.Second, lease: 35 * time.Second, redelivery: 40 * time.Second, fetchWait: time.Second, unconsumed: time.Minute,
	}
}

const (
	ledgerTTL = 7 * 24 * time.Hour
	keepDead  = 90 * 24 * time.Hour
	maxDead   = 10_000
	// brokerTimeout bounds each call of the broker except waiting for messages.
	brokerTimeout = 5 * time.Second
)
