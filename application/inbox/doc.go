// Package inbox is the durable service around the webhook receiver: it stores
// every verified delivery before it is acknowledged, forwards it to the targets
// that the rules name, and retries until they answer.
//
// Forwarding is at least once, always under the same delivery id: after a crash
// between a target's answer and the commit of that outcome, the job is sent
// again. No acknowledged delivery is lost.
//
// Accept queues a delivery for the committer, which stores all queued deliveries
// in one transaction and then answers all their callers (group commit). A stored
// delivery has one job for each rule that matches it. Each rule has a pool of
// workers that sends its jobs. New jobs go to the workers in memory; jobs that
// cannot (the pool is full, a retry, another process stored them) are claimed
// from the store under a lease.
package inbox
