package pushservice_test

import (
	"encoding/base64"
	"net/http"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/pushservice"
)

func raw(t *testing.T, text string) []byte {
	t.Helper()
	return must.Get(base64.RawURLEncoding.DecodeString(text))(t)
}

// The example of RFC 8291, section 5 and appendix A.
func TestTheMessageOfTheStandardIsDecrypted(t *testing.T) {
	b := must.Get(pushservice.NewBrowser(raw(t, "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"), raw(t, "BTBZMqHH6r4Tts7J_aSIgg")))(t)
	message := raw(t, "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
	if text := must.Get(b.Decrypt(message))(t); string(text) != "When I grow up, I want to be a watermelon" {
		t.Errorf("the text is %q", text)
	}
	message[len(message)-1] ^= 1
	if text, err := b.Decrypt(message); err == nil {
		t.Errorf("a changed message is %q", text)
	}
}

// The example of RFC 8292, section 2.4.
func TestTheSignatureOfTheStandardIsVerified(t *testing.T) {
	const key = "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
	const token = "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA"
	r := &http.Request{Header: http.Header{"Authorization": {"vapid t=" + token + ", k=" + key}}}
	then := time.Unix(1453523768, 0).Add(-time.Hour)
	must.Do(t, pushservice.VerifySender(r, key, "https://push.example.net", then))
	for name, err := range map[string]error{
		"another service": pushservice.VerifySender(r, key, "https://other.example.net", then),
		"later":           pushservice.VerifySender(r, key, "https://push.example.net", then.Add(2*time.Hour)),
		"another key":     pushservice.VerifySender(r, "BCVx", "https://push.example.net", then),
	} {
		if err == nil {
			t.Errorf("%s: verified", name)
		}
	}
}
