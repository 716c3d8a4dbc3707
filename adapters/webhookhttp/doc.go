// Package webhookhttp receives webhooks over net/http. Most programs import only this
// package: it has aliases for what they need of packages receiver and webhook.
//
//	r := webhookhttp.Must(os.Getenv("WEBHOOK_SECRET"))
//	r.Handle("push", func(ctx context.Context, e webhookhttp.Event) error { … })
//	http.ListenAndServe("127.0.0.1:3000", webhookhttp.Handler(r, webhookhttp.Options{}))
//
// Handler and Middleware match the path themselves; Endpoint leaves that to the router
// in which it is mounted. Every request gets exactly one answer: a 4xx with a JSON object
// of the single field "error" for a mistake of the sender, 200 "ok" when the handlers
// have finished, and 202 "still processing" when they take longer than Options.Timeout;
// they then continue in the background.
//
// The http.Server limits the size of headers and the time for them: set its
// ReadHeaderTimeout.
package webhookhttp

//go:generate go run ../../test/tools/hostevents events.go
