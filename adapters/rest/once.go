package rest

import (
	"context"
	"crypto/sha256"
	"encoding/json"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/market"
)

// onceOf is what a request with an Idempotency-Key does once. It hashes what the
// body means, so that spaces and the order of its fields do not count, and what is
// done with it: one body may be good for two operations.
func onceOf(operation string, key *restgen.IdempotencyKey, body any) (market.IdempotencyKey, error) {
	if key == nil {
		return market.IdempotencyKey{}, nil
	}
	meaning, err := json.Marshal(body)
	return market.IdempotencyKey{Value: *key, BodyHash: sha256.Sum256(append([]byte(operation+" "), meaning...))}, err
}

// noteReplay says in a header that this is the first answer again.
func noteReplay(ctx context.Context, replayed bool) {
	if replayed {
		ginOf(ctx).Header("Idempotent-Replayed", "true")
	}
}
