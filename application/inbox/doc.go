// Package inbox is the durable service round the webhook receiver: it stores
// every verified delivery before the sender hears that it was taken, forwards it
// to the targets that the rules name, and tries until they answer.
//
// A delivery may reach a target more than once, always under the same id: a
// crash between a target's answer and its record leaves the job to be tried
// again. None is lost once it is acknowledged.
//
// Accept hands a delivery to a committer, which stores all that wait in one
// transaction and then answers all of them. A stored delivery has one job for
// each rule that matches it. Each rule has a lane: a few workers that send its
// jobs. Jobs pass to the workers in memory; whatever does not (a full lane, a
// retry, another process) is claimed from the store under a lease.
package inbox
