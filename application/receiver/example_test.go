package receiver_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/application/receiver/githubpayload"
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
	r.RemoveListener(log, "*") // removes it from OnAny
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

// To rotate a secret without losing a delivery, accept both, change the sender, and
// let the old secret expire.
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

func ExampleReceiver_Handle() {
	r := receiver.Must("secret")
	r.Handle("issues.opened", func(_ context.Context, e webhook.Event) error {
		fmt.Println("opened:", string(e.Payload))
		return nil
	})
	r.HandleAny(func(_ context.Context, e webhook.Event) error {
		fmt.Println("any:", e.Name)
		return errors.New("out of paper")
	})
	fmt.Println(r.Receive(context.Background(), webhook.Event{Name: "push", Payload: []byte("{}")}))
	// Output:
	// any: push
	// out of paper
}

func ExampleHandleTyped() {
	r := receiver.Must("secret")
	receiver.HandleTyped(r, "push", func(_ context.Context, e receiver.TypedEvent[githubpayload.PushEvent]) error {
		fmt.Println(e.Payload.Ref, len(e.Payload.Commits))
		return nil
	})
	_ = r.Receive(context.Background(), webhook.Event{Name: "push", Payload: []byte(`{"ref":"refs/heads/main","commits":[{"id":"a1"}]}`)})
	// Output: refs/heads/main 1
}

func ExampleReceiver_Verify() {
	r := receiver.Must("It's a Secret to Everybody")
	fmt.Println(r.Verify([]byte("Hello, World!"), "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"))
	fmt.Println(r.Verify([]byte("Hello, world!"), "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"))
	// Output:
	// true <nil>
	// false <nil>
}

func ExampleReceiver_SignJSON() {
	r := receiver.Must("secret")
	signature, _ := r.SignJSON(map[string]int{"n": 1})
	fmt.Println(r.VerifyJSON(map[string]int{"n": 1}, signature))
	// Output: true <nil>
}

func ExampleAllowUnknownEvents() {
	r := receiver.Must("secret", receiver.AllowUnknownEvents(), receiver.WithLogger(slog.New(slog.DiscardHandler)))
	r.Handle("merge_group.checks_requested", func(_ context.Context, e webhook.Event) error {
		fmt.Println(e.Name, e.Action())
		return nil
	})
	_ = r.Receive(context.Background(), webhook.Event{Name: "merge_group", Payload: []byte(`{"action":"checks_requested"}`)})
	// Output: merge_group checks_requested
}

// A rotation is complete when no delivery is signed with the old secret any more.
func ExampleWithVerified() {
	r := receiver.Must("unused", receiver.WithVerified(func(_ context.Context, _ webhook.Event, secret string) {
		fmt.Println("signed with", secret)
	}))
	_ = r.SetSecrets([]receiver.Secret{{Name: "2027", Value: "new"}, {Name: "2026", Value: "old"}})
	signature, _ := receiver.Must("old").Sign([]byte("{}"))
	_ = r.VerifyAndReceive(context.Background(), receiver.Delivery{Name: "push", Payload: []byte("{}"), Signature: signature})
	// Output: signed with 2026
}

func ExampleParseSecrets() {
	secrets, _ := receiver.ParseSecrets("2027=new, 2026=old@2027-02-01T00:00:00Z")
	for _, s := range secrets {
		fmt.Println(s.Name, s.NotAfter.Year())
	}
	// Output:
	// 2027 1
	// 2026 2027
}
