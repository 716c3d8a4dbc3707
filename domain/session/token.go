package session

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/octavo-books/octavo/domain/user"
)

// Token is a refresh token. Clients must treat its text as opaque: 72 characters of
// base64url that hold user, session, client secret, number and tag.
type Token struct {
	User         user.ID
	Session      user.SessionID
	ClientSecret ClientSecret
	Number       int64
	Tag          [16]byte
}

const (
	tokenBytes = 8 + 8 + 16 + 6 + 16
	tokenText  = tokenBytes / 3 * 4
	maxN       = 1<<48 - 1
)

// String encodes the token for the client.
func (t Token) String() string {
	b := make([]byte, 0, tokenBytes)
	b = binary.BigEndian.AppendUint64(b, uint64(t.User))
	b = binary.BigEndian.AppendUint64(b, uint64(t.Session))
	b = append(b, t.ClientSecret[:]...)
	b = append(b, binary.BigEndian.AppendUint64(nil, uint64(t.Number))[2:]...)
	b = append(b, t.Tag[:]...)
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseToken decodes what String returned; ErrInvalid for anything else. A token that
// parses may still be forged: see Session.Issued.
func ParseToken(s string) (Token, error) {
	if len(s) != tokenText {
		return Token{}, ErrInvalid
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) != tokenBytes {
		return Token{}, ErrInvalid
	}
	t := Token{
		User:         user.ID(binary.BigEndian.Uint64(b)),
		Session:      user.SessionID(binary.BigEndian.Uint64(b[8:])),
		ClientSecret: ClientSecret(b[16:32]),
		Number:       int64(binary.BigEndian.Uint64(append([]byte{0, 0}, b[32:38]...))),
		Tag:          [16]byte(b[38:]),
	}
	if t.User <= 0 || t.Session <= 0 || t.Number == maxN {
		return Token{}, ErrInvalid
	}
	return t, nil
}
