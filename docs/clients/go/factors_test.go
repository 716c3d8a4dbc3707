package octavo_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"

	octavo "github.com/octavo-books/octavo/docs/clients/go"
)

// appCode is what an authenticator app shows for a secret now (RFC 6238).
func appCode(t *testing.T, secret string) string {
	t.Helper()
	key, err := base32.StdEncoding.DecodeString(secret)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha1.New, key)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(time.Now().Unix()/30)))
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[offset:])&0x7fffffff%1_000_000)
}

// proved returns a client that may change how its user signs in.
func proved(t *testing.T, email string) *octavo.Client {
	t.Helper()
	client, typed := octavo.New(server(t), octavo.Options{}), password
	signIn(t, client, email)
	if _, err := octavo.Reauthenticate(t.Context(), client, &typed, nil); err != nil {
		t.Fatal(err)
	}
	return client
}

func TestASecondFactorIsTurnedOnAskedForAndTurnedOff(t *testing.T) {
	email := member(t)
	client := proved(t, email)
	setup, err := octavo.StartTotp(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	confirmed, err := octavo.ConfirmTotp(t.Context(), client, appCode(t, setup.StartTotp.Secret))
	if err != nil || len(confirmed.ConfirmTotp) != 10 {
		t.Fatalf("%+v, %v", confirmed, err)
	}
	recovery := confirmed.ConfirmTotp

	second := octavo.New(server(t), octavo.Options{})
	_, err = octavo.SignIn(t.Context(), second, email, password, nil)
	var refused *octavo.Error
	if !errors.As(err, &refused) || refused.Code != octavo.CodeSecondFactorRequired || second.Tokens() != (octavo.Tokens{}) {
		t.Fatalf("the password alone: %v", err)
	}
	challenge, _ := refused.Extensions["challenge"].(string)
	if _, err := octavo.CompleteSignIn(t.Context(), second, challenge, "wrong", nil); octavo.CodeOf(err) != octavo.CodeCodeInvalid {
		t.Errorf("a wrong code: %v", err)
	}
	if _, err := octavo.CompleteSignIn(t.Context(), second, challenge, recovery[0], nil); err != nil {
		t.Fatal(err)
	}
	if _, err := octavo.CompleteSignIn(t.Context(), second, challenge, recovery[1], nil); octavo.CodeOf(err) != octavo.CodeChallengeInvalid {
		t.Errorf("the challenge again: %v", err)
	}
	if me, err := octavo.Me(t.Context(), second); err != nil || me.Me.Email != email {
		t.Errorf("%+v, %v", me, err)
	}
	if off, err := octavo.DisableTotp(t.Context(), client, recovery[1]); err != nil || !off.DisableTotp {
		t.Errorf("%+v, %v", off, err)
	}
	signIn(t, octavo.New(server(t), octavo.Options{}), email)
}

// passkey is an authenticator in software (WebAuthn, level 3).
type passkey struct {
	private *ecdsa.PrivateKey
	id      []byte
	origin  string
	user    string // its handle, as the server names it
}

func newPasskey(t *testing.T) *passkey {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(server(t))
	if err != nil {
		t.Fatal(err)
	}
	return &passkey{private: private, id: []byte(rand.Text()[:16]), origin: "http://localhost:" + at.Port()}
}

// asked is what the key reads of the options.
type asked struct {
	PublicKey struct {
		Challenge, RPID string
		RP, User        struct{ ID string }
	}
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// answer signs as navigator.credentials.create or get does.
func (p *passkey) answer(t *testing.T, kind string, options json.RawMessage) json.RawMessage {
	t.Helper()
	var a asked
	if err := json.Unmarshal(options, &a); err != nil {
		t.Fatal(err)
	}
	client := fmt.Appendf(nil, `{"type":%q,"challenge":%q,"origin":%q,"crossOrigin":false}`, kind, a.PublicKey.Challenge, p.origin)
	party := sha256.Sum256([]byte(a.PublicKey.RPID + a.PublicKey.RP.ID))
	const presentAndVerified, attested = 0x05, 0x40
	data := append(party[:], presentAndVerified, 0, 0, 0, 0)
	response := map[string]string{"clientDataJSON": encode(client)}
	if kind == "webauthn.create" {
		p.user = a.PublicKey.User.ID
		data[32] |= attested
		data = append(append(append(data, make([]byte, 16)...), 0, byte(len(p.id))), append(append([]byte{}, p.id...), p.publicKey(t)...)...)
		response["attestationObject"] = encode(append(append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"), byte(len(data))), data...))
	} else {
		hash := sha256.Sum256(client)
		signed := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
		signature, err := ecdsa.SignASN1(rand.Reader, p.private, signed[:])
		if err != nil {
			t.Fatal(err)
		}
		response["authenticatorData"], response["signature"], response["userHandle"] = encode(data), encode(signature), p.user
	}
	text, err := json.Marshal(map[string]any{
		"id": encode(p.id), "rawId": encode(p.id), "type": "public-key", "response": response, "clientExtensionResults": map[string]any{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// publicKey returns the key in COSE form: ES256 with P-256.
func (p *passkey) publicKey(t *testing.T) []byte {
	t.Helper()
	point, err := p.private.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	key := append([]byte("\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20"), point[1:33]...)
	return append(append(key, "\x22\x58\x20"...), point[33:]...)
}

func TestAPasskeyIsAddedAndSignsIn(t *testing.T) {
	email, key := member(t), newPasskey(t)
	client := proved(t, email)
	begun, err := octavo.BeginPasskeyRegistration(t.Context(), client, "My phone")
	if err != nil {
		t.Fatal(err)
	}
	added, err := octavo.FinishPasskeyRegistration(t.Context(), client, begun.BeginPasskeyRegistration.Id, key.answer(t, "webauthn.create", begun.BeginPasskeyRegistration.Options))
	if err != nil || added.FinishPasskeyRegistration.Name != "My phone" || added.FinishPasskeyRegistration.LastUsedAt != nil {
		t.Fatalf("%+v, %v", added, err)
	}
	second := octavo.New(server(t), octavo.Options{})
	ceremony, err := octavo.BeginPasskeySignIn(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	signed := key.answer(t, "webauthn.get", ceremony.BeginPasskeySignIn.Options)
	if _, err := octavo.FinishPasskeySignIn(t.Context(), second, ceremony.BeginPasskeySignIn.Id, signed, nil); err != nil {
		t.Fatal(err)
	}
	if me, err := octavo.Me(t.Context(), second); err != nil || me.Me.Email != email {
		t.Errorf("%+v, %v", me, err)
	}
	if _, err := octavo.StartTotp(t.Context(), second); err != nil {
		t.Errorf("the sign-in is no recent proof: %v", err)
	}
	if _, err := octavo.FinishPasskeySignIn(t.Context(), second, ceremony.BeginPasskeySignIn.Id, signed, nil); octavo.CodeOf(err) != octavo.CodeChallengeInvalid {
		t.Errorf("the same answer again: %v", err)
	}
}
