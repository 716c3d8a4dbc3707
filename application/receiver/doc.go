// Package receiver verifies webhooks and hands them to the handlers that were
// registered for them.
//
// It needs nothing but the standard library. Package adapters/webhookhttp puts
// it behind net/http; a program that gets its deliveries by another way calls
// VerifyAndReceive itself.
//
// A handler gets the bytes as they were received and verified; nothing is
// decoded that no handler asked for. OnTyped decodes into a type of the
// caller's, once for each type and delivery, and package receiver/payload has
// types for the events used most.
package receiver
