package webhookhttp_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	hooks "github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/test/must"
)

// The ten most common programs. TestTenProgramsAreTwentyFiveLines counts their lines.

// Serve deliveries of pushes.
func programServe() error {
	r := hooks.Must(os.Getenv("WEBHOOK_SECRET"))
	r.Handle("push", deploy)
	return http.ListenAndServe("127.0.0.1:3000", hooks.Handler(r, hooks.Options{}))
}

// Add webhooks to an existing server.
func programMiddleware(site http.Handler, r *hooks.Receiver) http.Handler {
	return hooks.Middleware(r, hooks.Options{Path: "/hooks"})(site)
}

// Mount them in a router.
func programRouter(mux *http.ServeMux, r *hooks.Receiver) {
	mux.Handle("POST /hooks/{team}", hooks.Endpoint(r, hooks.Options{}))
}

// Handle one action of an event, with its payload decoded.
func programTyped(r *hooks.Receiver) {
	hooks.HandleTyped(r, hooks.EventIssuesOpened, func(_ context.Context, e hooks.TypedEvent[hooks.IssuesPayload]) error {
		return notify(e.Payload.Issue.Title)
	})
}

// Log everything, and every failure.
func programLog(r *hooks.Receiver) {
	r.HandleAny(func(_ context.Context, e hooks.Event) error { return notify(e.ID) })
	r.HandleError(func(_ context.Context, e *hooks.Error) {
		slog.Error("webhook failed", "event", e.Event.Name, "error", e)
	})
}

// Ask the sender to deliver again later.
func programRetry(r *hooks.Receiver) {
	r.Handle("push", func(context.Context, hooks.Event) error { return hooks.Retry(time.Minute) })
}

// Tell the sender to remove the hook.
func programGone(r *hooks.Receiver) {
	r.Handle("ping", func(context.Context, hooks.Event) error { return hooks.WithStatus(errors.New("removed"), 410) })
}

// Rotate the secret.
func programRotate() (*hooks.Receiver, error) {
	return hooks.New("the new secret", hooks.WithAdditionalSecrets("the old secret"))
}

// Verify a delivery that did not arrive over HTTP.
func programRelay(r *hooks.Receiver, header http.Header, body []byte) error {
	d, err := hooks.DeliveryFrom(header, body)
	if err != nil {
		return err
	}
	return r.VerifyAndReceive(context.Background(), d)
}

// Test a handler with a signed delivery.
func programTest(handler http.Handler) int {
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, hooks.SignedRequest("secret", hooks.DefaultPath, hooks.Event{Name: "push", Payload: []byte("{}")}))
	return answer.Code
}

func deploy(_ context.Context, e hooks.Event) error { return notify("deployed " + e.Action()) }

func notify(text string) error { return must.Err(fmt.Println(text)) }
