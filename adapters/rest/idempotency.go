package rest

import (
	"context"
	"crypto/sha256"
	"encoding/json"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/market"
)

// idempotencyKeyOf returns the idempotency key of a request. Its hash covers the
// meaning of the body, so that whitespace and the order of fields do not count, and
// the operation, because one body can be valid for two.
func idempotencyKeyOf(operation string, key *restgen.IdempotencyKey, body any) (market.IdempotencyKey, error) {
	if key == nil {
		return market.IdempotencyKey{}, nil
	}
	canonical, err := json.Marshal(body)
	return market.IdempotencyKey{Value: *key, BodyHash: sha256.Sum256(append([]byte(operation+" "), canonical...))}, err
}

// setReplayedHeader marks a response as the repetition of an earlier one.
func setReplayedHeader(ctx context.Context, replayed bool) {
	if replayed {
		ginOf(ctx).Header("Idempotent-Replayed", "true")
	}
}
