package webhookhttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	hooks "github.com/octavo-books/octavo/adapters/webhookhttp"
)

// A server and a delivery to it. A real program calls http.ListenAndServe instead, and
// the sender is elsewhere.
func ExampleHandler() {
	r := hooks.Must("the secret shared with the sender")
	r.Handle("push", func(_ context.Context, e hooks.Event) error {
		fmt.Println("pushed:", string(e.Payload))
		return nil
	})
	server := httptest.NewServer(hooks.Handler(r, hooks.Options{}))
	defer server.Close()

	push := hooks.Event{Name: hooks.EventPush, Payload: []byte(`{"ref":"refs/heads/main"}`)}
	answer, err := http.DefaultClient.Do(hooks.SignedRequest("the secret shared with the sender", server.URL+hooks.DefaultPath, push))
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	fmt.Println(answer.StatusCode)
	// Output:
	// pushed: {"ref":"refs/heads/main"}
	// 200
}

// A signed request tests a handler without a server or a sender.
func ExampleSignedRequest() {
	r := hooks.Must("secret")
	r.Handle("ping", func(context.Context, hooks.Event) error { return nil })
	answer := httptest.NewRecorder()
	hooks.Endpoint(r, hooks.Options{}).ServeHTTP(answer, hooks.SignedRequest("secret", "/", hooks.Event{Name: "ping", Payload: []byte("{}")}))
	fmt.Println(answer.Code, answer.Body)
	// Output: 200 ok
}

func ExampleHandleTyped() {
	r := hooks.Must("secret")
	hooks.HandleTyped(r, hooks.EventPullRequestOpened, func(_ context.Context, e hooks.TypedEvent[hooks.PullRequestPayload]) error {
		fmt.Println(e.Payload.PullRequest.Title)
		return nil
	})
	_ = r.Receive(context.Background(), hooks.Event{
		Name: "pull_request", Payload: []byte(`{"action":"opened","pull_request":{"title":"Mend page 81"}}`),
	})
	// Output: Mend page 81
}

// A handler whose dependency is down asks for the delivery again later.
func ExampleRetry() {
	r := hooks.Must("secret")
	r.Handle("push", func(context.Context, hooks.Event) error { return hooks.Retry(30 * time.Second) })
	answer := httptest.NewRecorder()
	hooks.Endpoint(r, hooks.Options{}).ServeHTTP(answer, hooks.SignedRequest("secret", "/", hooks.Event{Name: "push", Payload: []byte("{}")}))
	fmt.Println(answer.Code, answer.Header().Get("Retry-After"))
	// Output: 503 30
}

func ExampleWithStatus() {
	r := hooks.Must("secret")
	r.Handle("push", func(context.Context, hooks.Event) error {
		return hooks.WithStatus(errors.New("this repository is archived"), http.StatusGone)
	})
	answer := httptest.NewRecorder()
	hooks.Endpoint(r, hooks.Options{}).ServeHTTP(answer, hooks.SignedRequest("secret", "/", hooks.Event{Name: "push", Payload: []byte("{}")}))
	fmt.Println(answer.Code, answer.Body)
	// Output: 410 {"error":"The delivery could not be handled"}
}

func ExampleMiddleware() {
	r := hooks.Must("secret")
	site := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { fmt.Fprint(w, "the shop") })
	both := hooks.Middleware(r, hooks.Options{Path: "/hooks"})(site)

	answer := httptest.NewRecorder()
	both.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	fmt.Println(answer.Body)
	// Output: the shop
}

// A router matches the path and mounts an Endpoint.
func ExampleEndpoint() {
	r := hooks.Must("secret")
	mux := http.NewServeMux()
	mux.Handle("POST /hooks/{source}", hooks.Endpoint(r, hooks.Options{}))

	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/hooks/ci", nil))
	fmt.Println(answer.Code, answer.Body)
	// Output: 415 {"error":"Content-Type must be application/json"}
}

// A relay wraps the sender's headers and body in a message of its own. The body must be
// a string or bytes: as nested JSON it would be re-encoded and no longer match its
// signature.
func ExampleDeliveryFrom() {
	r := hooks.Must("secret")
	r.Handle("push", func(_ context.Context, e hooks.Event) error {
		fmt.Println(e.Name, string(e.Payload))
		return nil
	})
	message := `{"headers":{"x-host-event":["push"],"x-host-delivery":["7"],
		"x-host-signature-256":["sha256=fc577180fb474c66482c84da7302664908e97ae3ed06cc11977b492c3addb57b"]},"body":"{\"n\":1.0}"}`

	var wrapped struct {
		Headers http.Header
		Body    string
	}
	if err := json.Unmarshal([]byte(message), &wrapped); err != nil {
		panic(err)
	}
	d, err := hooks.DeliveryFrom(wrapped.Headers, []byte(wrapped.Body))
	if err != nil {
		panic(err)
	}
	fmt.Println(r.VerifyAndReceive(context.Background(), d))
	// Output:
	// push {"n":1.0}
	// <nil>
}
