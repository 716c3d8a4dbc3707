package sources

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/domain/webhook"
)

// deliveryNote is what a request for a delivery learns from accepting it: for its answer and for
// the access log.
type deliveryNote struct {
	mu      sync.Mutex // accepting may outlast the request
	event   webhook.Event
	action  string
	receipt inbox.Receipt
}

type deliveryNoteKey struct{}

// acceptDelivery stores the deliveries of a source and notes what became of each.
func acceptDelivery(service *serving.Service, source string) acceptFunc {
	return func(ctx context.Context, e webhook.Event, action string) error {
		receipt, err := service.AcceptDelivery(ctx, source, e, action)
		if note, ok := ctx.Value(deliveryNoteKey{}).(*deliveryNote); ok {
			note.mu.Lock()
			defer note.mu.Unlock()
			note.event, note.action, note.receipt = e, action, receipt
		}
		return err
	}
}

// answerText tells the sender that nothing new happens.
func answerText(ctx context.Context) string {
	note, ok := ctx.Value(deliveryNoteKey{}).(*deliveryNote)
	if !ok {
		return ""
	}
	note.mu.Lock()
	defer note.mu.Unlock()
	if note.receipt == inbox.SeenBefore {
		return "seen before"
	}
	return ""
}

// noteDeliveries adds source, event and id to the access log.
func noteDeliveries(source string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note := &deliveryNote{}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), deliveryNoteKey{}, note)))
		note.mu.Lock()
		defer note.mu.Unlock()
		attrs := []slog.Attr{slog.String("source", source)}
		if note.event.ID != "" {
			name := string(note.event.Name)
			if note.action != "" {
				name += "." + note.action
			}
			attrs = append(
				attrs, slog.String("event", name), slog.String("id", note.event.ID), slog.String("delivery", string(note.receipt)),
			)
		}
		httpx.AddLogAttrs(r.Context(), attrs...)
	})
}

// asSent restores the method HEAD, which the router serves as GET: some senders check a URL with
// it.
func asSent(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if httpx.IsHead(r.Context()) {
			sent := *r
			sent.Method = http.MethodHead
			r = &sent
		}
		next.ServeHTTP(w, r)
	})
}

// Refuse writes errors of the middleware in the receiver's format.
func Refuse(w http.ResponseWriter, _ *http.Request, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(httpx.Status(err))
	_ = json.NewEncoder(w).Encode(map[string]string{"error": httpx.PublicMessage(err)})
}
