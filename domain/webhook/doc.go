// Package webhook defines a webhook: an event with a name and a JSON object as its
// payload, and the signature that proves its sender.
//
// Everything here is a pure value: no clock, no network, no logging. The errors are
// plain sentinels because programs outside this module test for them.
package webhook
