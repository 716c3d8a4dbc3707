// Package serving is the durable service of an inbox.
//
// Accept queues a delivery for the committer, which stores all queued deliveries
// in one transaction and then answers all their callers (group commit). A stored
// delivery has one job for each rule that matches it. Each rule has a pool of
// workers that sends its jobs. New jobs go to the workers in memory; jobs that
// cannot (the pool is full, a retry, another process stored them) are claimed
// from the store under a lease.
package serving
