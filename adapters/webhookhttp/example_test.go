package webhookhttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
)

// A server in fifteen lines. In a program of your own the last step is
// http.ListenAndServe.
func ExampleHandler() {
	r, err := receiver.New("the secret shared with the sender")
	if err != nil {
		panic(err)
	}
	if _, err := r.OnFunc(func(_ context.Context, e webhook.Event) error {
		fmt.Println("pushed:", string(e.Payload))
		return nil
	}, "push"); err != nil {
		panic(err)
	}
	server := httptest.NewServer(webhookhttp.Handler(r, webhookhttp.Options{}))
	defer server.Close()

	fmt.Println(deliver(r, server.URL, `{"ref":"refs/heads/main"}`))
	// Output:
	// pushed: {"ref":"refs/heads/main"}
	// 200 ok
}

// deliver does what the sender does.
func deliver(r *receiver.Receiver, url, body string) string {
	req, _ := http.NewRequest(http.MethodPost, url+webhookhttp.DefaultPath, strings.NewReader(body))
	signature, _ := r.Sign([]byte(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(webhookhttp.EventHeader, "push")
	req.Header.Set(webhookhttp.DeliveryHeader, "72d3162e-cc78-11e3-81ab-4c9367dc0958")
	req.Header.Set(webhookhttp.SignatureHeader, signature)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return fmt.Sprint(answer.StatusCode, " ", string(text))
}

func ExampleMiddleware() {
	r, _ := receiver.New("secret")
	site := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { fmt.Fprint(w, "the shop") })
	both := webhookhttp.Middleware(r, webhookhttp.Options{Path: "/hooks"})(site)

	answer := httptest.NewRecorder()
	both.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	fmt.Println(answer.Body)
	// Output: the shop
}

// Where a router knows the path, it is given an Endpoint.
func ExampleEndpoint() {
	r, _ := receiver.New("secret")
	mux := http.NewServeMux()
	mux.Handle("POST /hooks/{source}", webhookhttp.Endpoint(r, webhookhttp.Options{}))

	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/hooks/ci", nil))
	fmt.Println(answer.Code, answer.Body)
	// Output: 415 {"error":"Content-Type must be application/json"}
}

// A relay wraps the sender's headers and body into a message of its own. The
// body must travel as a string or bytes: as nested JSON it would be spelled anew
// and no longer match its signature.
func ExampleDeliveryFrom() {
	r, _ := receiver.New("secret")
	_, _ = r.OnFunc(func(_ context.Context, e webhook.Event) error {
		fmt.Println(e.Name, string(e.Payload))
		return nil
	}, "push")
	message := `{"headers":{"x-host-event":["push"],"x-host-delivery":["7"],
		"x-host-signature-256":["sha256=fc577180fb474c66482c84da7302664908e97ae3ed06cc11977b492c3addb57b"]},"body":"{\"n\":1.0}"}`

	var wrapped struct {
		Headers http.Header
		Body    string
	}
	if err := json.Unmarshal([]byte(message), &wrapped); err != nil {
		panic(err)
	}
	d, err := webhookhttp.DeliveryFrom(wrapped.Headers, []byte(wrapped.Body))
	if err != nil {
		panic(err)
	}
	fmt.Println(r.VerifyAndReceive(context.Background(), d))
	// Output:
	// push {"n":1.0}
	// <nil>
}
