package receiver_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
)

func Example() {
	r, err := receiver.New("the secret shared with the sender")
	if err != nil {
		panic(err)
	}
	_, err = r.OnFunc(func(_ context.Context, e webhook.Event) error {
		fmt.Println("a book was requested in delivery", e.ID)
		return nil
	}, "issues.opened")
	if err != nil {
		panic(err)
	}

	payload := []byte(`{"action":"opened","issue":{"number":12}}`)
	signature, _ := r.Sign(payload) // the sender does this
	err = r.VerifyAndReceive(context.Background(), receiver.Delivery{
		ID: "72d3162e", Name: "issues", Payload: payload, Signature: signature,
	})
	fmt.Println(err)
	// Output:
	// a book was requested in delivery 72d3162e
	// <nil>
}

func ExampleOnTyped() {
	type issue struct {
		Issue struct {
			Number int
			Title  string
		}
	}
	r, _ := receiver.New("secret")
	_, err := receiver.OnTyped(r, func(_ context.Context, e receiver.TypedEvent[issue]) error {
		fmt.Println(e.Payload.Issue.Number, e.Payload.Issue.Title)
		return nil
	}, "issues.opened", "issues.reopened")
	if err != nil {
		panic(err)
	}
	_ = r.Receive(context.Background(), webhook.Event{
		Name: "issues", Payload: []byte(`{"action":"opened","issue":{"number":12,"title":"Page 81"}}`),
	})
	// Output: 12 Page 81
}

func ExampleReceiver_On() {
	r, _ := receiver.New("secret")
	log := receiver.Func(func(_ context.Context, e webhook.Event) error {
		fmt.Println(e.Name)
		return nil
	})
	fmt.Println(r.On(log, "push", "pull_request.opened"))
	fmt.Println(r.On(log, "pull_request.opend"))
	// Output:
	// <nil>
	// receiver: unknown event "pull_request.opend": did you mean "pull_request.opened"?
}

func ExampleReceiver_RemoveListener() {
	r, _ := receiver.New("secret")
	log := receiver.Func(func(_ context.Context, e webhook.Event) error {
		fmt.Println("got", e.Name)
		return nil
	})
	_ = r.OnAny(log)
	_ = r.Receive(context.Background(), webhook.Event{Name: "push", Payload: []byte("{}")})
	r.RemoveListener(log, "*") // takes it off OnAny
	_ = r.Receive(context.Background(), webhook.Event{Name: "push", Payload: []byte("{}")})
	// Output: got push
}

func ExampleReceiver_OnError() {
	r, _ := receiver.New("secret")
	told := make(chan struct{})
	_ = r.OnError(receiver.ErrorFunc(func(_ context.Context, e *receiver.Error) {
		defer close(told)
		fmt.Println(e.Event.Name, "failed:", e)
	}))
	_, _ = r.OnFunc(func(context.Context, webhook.Event) error { return errors.New("out of paper") }, "push")
	_ = r.Receive(context.Background(), webhook.Event{Name: "push", Payload: []byte("{}")})
	<-told
	// Output: push failed: out of paper
}

func ExampleWithTransform() {
	withCampus := func(_ context.Context, e webhook.Event) (webhook.Event, error) {
		e.ID = "north-campus/" + e.ID
		return e, nil
	}
	r, _ := receiver.New("secret", receiver.WithTransform(withCampus))
	_, _ = r.OnFunc(func(_ context.Context, e webhook.Event) error {
		fmt.Println(e.ID)
		return nil
	}, "push")
	_ = r.Receive(context.Background(), webhook.Event{ID: "7", Name: "push", Payload: []byte("{}")})
	// Output: north-campus/7
}

// Rotating without losing a delivery: accept both, tell the sender, and let the
// old secret run out.
func ExampleReceiver_SetSecrets() {
	r, _ := receiver.New("the old one")
	signature, _ := r.Sign([]byte("{}"))
	_ = r.SetSecrets([]receiver.Secret{
		{Name: "2027", Value: "the new one"},
		{Name: "2026", Value: "the old one", NotAfter: time.Now().Add(24 * time.Hour)},
	})
	fmt.Println(r.Verify([]byte("{}"), signature))
	// Output: true <nil>
}
