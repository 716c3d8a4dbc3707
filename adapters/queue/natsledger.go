package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// natsLedger keeps a record for each message in a key-value bucket; of two that
// write one at the same time, the revision lets one through.
type natsLedger struct {
	js     jetstream.JetStream
	lease  time.Duration
	bucket atomic.Pointer[jetstream.KeyValue]
}

type record struct {
	Try   int       `json:"try"`
	Until time.Time `json:"until,omitzero"` // when the lease ends
	Done  bool      `json:"done,omitempty"`
}

func (l *natsLedger) open(ctx context.Context) error {
	bucket, err := l.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: ledgerName, TTL: remembered, History: 1})
	if errors.Is(err, jetstream.ErrBucketExists) {
		bucket, err = l.js.KeyValue(ctx, ledgerName)
	}
	if err != nil {
		return fmt.Errorf("bucket %s: %w", ledgerName, err)
	}
	l.bucket.Store(&bucket)
	return nil
}

func (l *natsLedger) begin(ctx context.Context, id string) (entry, error) {
	known, revision, err := l.read(ctx, id)
	now := time.Now()
	switch {
	case err != nil:
		return entry{}, err
	case known.Done:
		return entry{standing: settled}, nil
	case now.Before(known.Until):
		return entry{standing: busy}, nil
	}
	known.Try++
	known.Until = now.Add(l.lease)
	switch err := l.write(ctx, id, known, revision); {
	case errors.Is(err, jetstream.ErrKeyExists):
		return entry{standing: busy}, nil
	case err != nil:
		return entry{}, err
	}
	return entry{standing: mine, try: known.Try}, nil
}

func (l *natsLedger) sent(ctx context.Context, id string) error {
	known, revision, err := l.read(ctx, id)
	if err != nil {
		return err
	}
	return l.write(ctx, id, record{Try: known.Try, Done: true}, revision)
}

func (l *natsLedger) release(ctx context.Context, id string, uncounted bool) error {
	known, revision, err := l.read(ctx, id)
	if err != nil || known.Done {
		return err
	}
	known.Until = time.Time{}
	if uncounted {
		known.Try--
	}
	return l.write(ctx, id, known, revision)
}

// read answers with revision 0 where there is no record.
func (l *natsLedger) read(ctx context.Context, id string) (record, uint64, error) {
	var r record
	bucket := l.bucket.Load()
	if bucket == nil {
		return r, 0, errors.New("not connected yet")
	}
	found, err := (*bucket).Get(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return r, 0, nil
	}
	if err != nil {
		return r, 0, err
	}
	return r, found.Revision(), json.Unmarshal(found.Value(), &r)
}

// write is jetstream.ErrKeyExists where somebody else has written since.
func (l *natsLedger) write(ctx context.Context, id string, r record, revision uint64) error {
	value, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if revision == 0 {
		_, err = (*l.bucket.Load()).Create(ctx, id, value)
	} else {
		_, err = (*l.bucket.Load()).Update(ctx, id, value, revision)
	}
	return err
}
