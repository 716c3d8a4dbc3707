package webhook_test

import (
	"fmt"

	"github.com/octavo-books/octavo/domain/webhook"
)

func ExampleEventNames() {
	names := webhook.EventNames()
	fmt.Println(len(names), names[0])
	// Output: 234 branch_protection_rule
}

func ExampleNearest() {
	fmt.Println(webhook.Nearest("pull_requst.opened"))
	// Output: pull_request.opened
}

func ExampleEventName_With() {
	fmt.Println(webhook.EventName("issues").With("opened"))
	fmt.Println(webhook.EventName("issues").With("read")) // not an action of issues
	// Output:
	// issues.opened true
	//  false
}

func ExampleEvent_Action() {
	e := webhook.Event{Name: "issues", Payload: []byte(`{"issue":{"action":"nested"},"action":"closed"}`)}
	fmt.Println(e.Action())
	// Output: closed
}

func ExampleKey() {
	key, err := webhook.NewKey("It's a Secret to Everybody")
	if err != nil {
		panic(err)
	}
	signature := key.Sign([]byte("Hello, World!"))
	fmt.Println(signature)
	fmt.Println(key.Verify([]byte("Hello, World!"), signature))
	// Output:
	// sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17
	// true
}

func ExampleParseSignature() {
	_, err := webhook.ParseSignature("sha1=2fd4e1c67a2d28fced849ee1bb76e7391b93eb12")
	fmt.Println(err)
	// Output: webhook: a signature is sha256= and 64 lower-case hexadecimal digits
}
