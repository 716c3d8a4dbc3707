// Package receiver verifies webhooks and runs the handlers registered for them.
//
// It uses only the standard library. Package adapters/webhookhttp serves it over
// net/http; a program that gets its deliveries in another way, for example from a
// queue, calls VerifyAndReceive itself.
//
// A handler gets the payload bytes as they were received and verified. OnTyped
// decodes them into the caller's type, once for each type and delivery, and package
// githubpayload has types for the events of GitHub and Host.
package receiver
