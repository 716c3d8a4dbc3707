package inspector

import (
	"fmt"
	"testing"
	"time"
)

func TestManyAddressesGetABoundedNumberOfAttemptsAndUseBoundedMemory(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	tries := tries{now: func() time.Time { return now }}
	passed := 0
	for i := range 3 * maxClients {
		if tries.allow(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)) {
			passed++
		}
	}
	if passed > maxClients+maxTries || len(tries.byClient) > maxClients+1 {
		t.Errorf("%d attempts passed, %d clients are remembered", passed, len(tries.byClient))
	}
	if now = now.Add(time.Minute); !tries.allow("192.0.2.1") || len(tries.byClient) != 1 {
		t.Errorf("a minute later, %d clients are remembered", len(tries.byClient))
	}
}

func TestANetworkOfIPv6IsOneClient(t *testing.T) {
	tries := tries{now: time.Now}
	for i := range maxTries {
		tries.allow(fmt.Sprintf("2001:db8::%x", i))
	}
	if tries.allow("2001:db8::ffff") || !tries.allow("2001:db8:0:1::1") {
		t.Error("the limit is not that of a /64")
	}
}
