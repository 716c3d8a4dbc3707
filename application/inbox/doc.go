// Package inbox has the deliveries of the durable service around the webhook receiver, the rules
// by which they are forwarded, what the service needs of adapters, and what operators do with both.
//
// The service is in package serving. It stores every verified delivery before it is acknowledged,
// forwards it to the targets that the rules name, and retries until they answer. Package sending
// has the workers that do so.
//
// Forwarding is at least once, always under the same delivery id: after a crash
// between a target's answer and the commit of that outcome, the job is sent
// again. No acknowledged delivery is lost.
package inbox
