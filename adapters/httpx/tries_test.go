package httpx

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

func TestManyAddressesGetABoundedNumberOfWrongTokensAndUseBoundedMemory(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	token := NewOperatorToken("right", func() time.Time { return now })
	tried := 0
	for i := range 3 * maxTrying {
		if errors.Is(token.Verify(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), "wrong"), ErrWrongToken) {
			tried++
		}
	}
	if tried > maxTrying+maxTries || len(token.byClient) > maxTrying+1 {
		t.Errorf("%d tokens were compared, %d clients are remembered", tried, len(token.byClient))
	}
	if now = now.Add(time.Minute); token.Verify("192.0.2.1", "right") != nil || len(token.byClient) > 1 {
		t.Errorf("a minute later, %d clients are remembered", len(token.byClient))
	}
}

func TestAfterWrongTokensTheRightOneWorksFromOtherAddresses(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	token := NewOperatorToken("right", func() time.Time { return now })
	for i := range maxTries {
		if err := token.Verify(fmt.Sprintf("2001:db8::%x", i), "wrong"); !errors.Is(err, ErrWrongToken) {
			t.Errorf("try %d: %v", i, err)
		}
	}
	for _, given := range []string{"wrong", "right"} { // a /64 is one client
		if err := token.Verify("2001:db8::ffff", given); !errors.Is(err, ErrTooManyTokens) {
			t.Errorf("%s from the same network: %v", given, err)
		}
	}
	for range 3 * maxTries {
		if err := token.Verify("2001:db8:0:1::1", "right"); err != nil {
			t.Errorf("from another network: %v", err)
		}
	}
	if now = now.Add(time.Minute); token.Verify("2001:db8::ffff", "right") != nil {
		t.Error("the network still waits a minute later")
	}
}
