// Package authenticator is an authenticator in software: it makes passkeys and signs with
// them as a phone or a security key would, or deliberately wrongly.
package authenticator

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"

	"github.com/fxamacker/cbor/v2"
)

// Key is one passkey. Its fields may be changed between two uses, to misbehave.
type Key struct {
	ID         []byte
	Private    *ecdsa.PrivateKey
	Party      string // id of the relying party
	Origin     string // of the page
	UserHandle []byte
	Counter    uint32
	Flags      byte
	// ClientData changes what the browser signs over; nil for nothing.
	ClientData func(map[string]any)
}

// The flags of authenticator data (WebAuthn, section 6.1).
const (
	UserPresent    = 0x01
	UserVerified   = 0x04
	BackupEligible = 0x08
	BackedUp       = 0x10
	attested       = 0x40
)

// New returns a key for pages of an origin, with a counter that grows.
func New(party, origin string) *Key {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	k := &Key{ID: make([]byte, 16), Private: private, Party: party, Origin: origin, Flags: UserPresent | UserVerified}
	_, _ = rand.Read(k.ID)
	return k
}

// creation is what the key reads of PublicKeyCredentialCreationOptions.
type creation struct {
	PublicKey struct {
		Challenge string
		User      struct{ ID string }
	}
}

// Create answers navigator.credentials.create as PublicKeyCredential.toJSON does.
func (k *Key) Create(options json.RawMessage) json.RawMessage {
	var o creation
	decode(options, &o)
	k.UserHandle = unbase64(o.PublicKey.User.ID)
	point, err := k.Private.PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	public := marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]})
	data := k.data(k.Flags | attested)
	data = append(data, make([]byte, 16)...) // AAGUID
	data = binary.BigEndian.AppendUint16(data, uint16(len(k.ID)))
	data = append(append(data, k.ID...), public...)
	return k.credential(map[string]any{
		"clientDataJSON":    base64url(k.clientData("webauthn.create", o.PublicKey.Challenge)),
		"attestationObject": base64url(marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": data})),
		"transports":        []string{"internal", "hybrid", "carrier-pigeon"},
	})
}

// Sign answers navigator.credentials.get.
func (k *Key) Sign(options json.RawMessage) json.RawMessage {
	var o creation
	decode(options, &o)
	if k.Counter > 0 {
		k.Counter++
	}
	client, data := k.clientData("webauthn.get", o.PublicKey.Challenge), k.data(k.Flags)
	hash := sha256.Sum256(client)
	signed := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, k.Private, signed[:])
	if err != nil {
		panic(err)
	}
	return k.credential(map[string]any{
		"clientDataJSON": base64url(client), "authenticatorData": base64url(data), "signature": base64url(signature),
		"userHandle": base64url(k.UserHandle),
	})
}

func (k *Key) clientData(kind, challenge string) []byte {
	data := map[string]any{"type": kind, "challenge": challenge, "origin": k.Origin, "crossOrigin": false}
	if k.ClientData != nil {
		k.ClientData(data)
	}
	return encode(data)
}

func (k *Key) data(flags byte) []byte {
	party := sha256.Sum256([]byte(k.Party))
	return binary.BigEndian.AppendUint32(append(party[:], flags), k.Counter)
}

func (k *Key) credential(response map[string]any) json.RawMessage {
	return encode(map[string]any{
		"id": base64url(k.ID), "rawId": base64url(k.ID), "type": "public-key", "response": response,
		"authenticatorAttachment": "platform", "clientExtensionResults": map[string]any{},
	})
}

func base64url(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func unbase64(s string) []byte {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func decode(text []byte, v any) {
	if err := json.Unmarshal(text, v); err != nil {
		panic(err)
	}
}

func marshal(v any) []byte {
	mode, err := cbor.CTAP2EncOptions().EncMode()
	if err != nil {
		panic(err)
	}
	b, err := mode.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
