package queue

import "time"

// timing says when a message is anybody's again. It is given up by whoever sends
// it first, then by the ledger, then by the broker: who gets it next finds it free.
type timing struct {
	handling, lease, redelivery time.Duration
	patience                    time.Duration // how long one question to the broker waits for a message
}

func standardTiming() timing {
	return timing{handling: 30 * time.Second, lease: 35 * time.Second, redelivery: 40 * time.Second, patience: time.Second}
}

const (
	remembered = 7 * 24 * time.Hour
	deadFor    = 90 * 24 * time.Hour
	deadAtMost = 10_000
	// brokerTimeout bounds each step on the broker besides waiting for messages.
	brokerTimeout = 5 * time.Second
)
