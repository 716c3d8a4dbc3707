package webhook

import (
	"errors"
	"fmt"

	"github.com/octavo-books/octavo/domain/webhook/rawjson"
)

// ErrPayload refuses a payload that is not exactly one JSON object.
var ErrPayload = errors.New("webhook: the payload is not a JSON object")

// Scan validates in one pass, without decoding, that payload is exactly one JSON object,
// as rawjson.Members does, and returns the value of its top-level member "action". An action
// that is not a string is "". The error is an ErrPayload with the offset.
func Scan(payload []byte) (action string, err error) {
	values, bad := rawjson.Members(payload, "action")
	if bad >= 0 {
		return "", fmt.Errorf("%w: at byte %d of %d", ErrPayload, bad, len(payload))
	}
	return rawjson.Unquote(values[0]), nil
}
