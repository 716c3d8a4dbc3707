package webhookcommands

import (
	"strings"
	"testing"
)

func TestSendersAreListedInJSONWithNamesInSmallLetters(t *testing.T) {
	out, err := (&fakeTools{}).run(t, "", "senders", "--json")
	if err != nil || !strings.Contains(out, `"name":"stripe","event":"json type","id":"json id","signature":`) {
		t.Errorf("printed %.300s, %v", out, err)
	}
}
