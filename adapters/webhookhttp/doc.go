// Package webhookhttp receives webhooks over net/http. It is the one package that most
// programs import: what they need of packages receiver and webhook has a name here, too.
//
//	r := webhookhttp.Must(os.Getenv("WEBHOOK_SECRET"))
//	r.Handle("push", func(ctx context.Context, e webhookhttp.Event) error { … })
//	http.ListenAndServe("127.0.0.1:3000", webhookhttp.Handler(r, webhookhttp.Options{}))
//
// Handler and Middleware look at the path themselves, Endpoint leaves it to the
// router that it is mounted in. All give every request exactly one answer. What the
// sender did wrong is a 4xx with a JSON object of the one field "error"; a delivery
// whose handlers have finished is 200 "ok", one whose handlers take longer than
// Options.Timeout is 202 "still processing" while they run on.
//
// Limits on header size and on the time for headers are the http.Server's:
// set its ReadHeaderTimeout.
package webhookhttp
