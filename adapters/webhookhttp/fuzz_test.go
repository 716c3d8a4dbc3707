package webhookhttp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"encoding/json"
	"io"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/application/receiver"
)

// Any headers and body get exactly one answer: 200 for a valid delivery, otherwise JSON
// with an error.
func FuzzRequest(f *testing.F) {
	silent := slog.New(slog.NewTextHandler(io.Discard, nil))
	r, err := receiver.New("secret", receiver.WithLogger(silent))
	if err != nil {
		f.Fatal(err)
	}
	good, _ := r.Sign([]byte("{}"))
	f.Add("application/json", "push", "7", good, "{}")
	f.Add("application/json; charset=utf-8", "*", "\x00", "sha1=00", "5")
	f.Add("", "", "", "", "")
	f.Add("APPLICATION/JSON;", "error", "7,7", "sha256=", `{"action":"x"}`)
	h := webhookhttp.Handler(r, webhookhttp.Options{Logger: silent, MaxBody: 1000})
	f.Fuzz(func(t *testing.T, kind, event, id, signature, body string) {
		req := httptest.NewRequest(http.MethodPost, webhookhttp.DefaultPath, strings.NewReader(body))
		req.Header = http.Header{"Content-Type": {kind}, "X-Host-Event": {event}, "X-Host-Delivery": {id}, "X-Host-Signature-256": {signature}}
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, req)
		if answer.Code == http.StatusOK {
			if ok, err := r.Verify([]byte(body), strings.TrimSpace(signature)); !ok || err != nil || event == "*" || event == "error" {
				t.Fatalf("accepted %q %q %q %q", kind, event, signature, body)
			}
			return
		}
		var fields map[string]string
		if err := json.Unmarshal(answer.Body.Bytes(), &fields); err != nil || len(fields) != 1 || fields["error"] == "" || answer.Code < 400 || answer.Code >= 500 {
			t.Fatalf("answered %d %q", answer.Code, answer.Body)
		}
	})
}
