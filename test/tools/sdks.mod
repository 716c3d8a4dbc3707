// The libraries of senders with which test/e2e signs and verifies deliveries, in a module
// file of their own, so that the program's go.mod stays small.
module github.com/octavo-books/octavo

go 1.26.0

require (
	github.com/google/go-github/v88 v88.0.0
	github.com/slack-go/slack v0.35.0
	github.com/standard-webhooks/standard-webhooks/libraries v0.0.1
	github.com/stripe/stripe-go/v85 v85.0.0
)

require (
	github.com/boombuler/barcode v1.0.1-0.20190219062509-6c824513bacc // indirect
	github.com/pquerna/otp v1.5.0 // indirect
)
