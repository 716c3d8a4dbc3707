// Package webhook says what a webhook is: an event with a name out of a fixed
// table and a JSON object as payload, and the signature that proves who sent it.
//
// Everything here is a pure value: no clock, no network, no logging. The errors
// are plain sentinels because programs outside this module test for them.
package webhook
