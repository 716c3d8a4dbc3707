package redisstore_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/redisstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
)

func TestWriteMarks(t *testing.T) {
	s := servers.Redis(t)
	contract.WriteMarks(t, func(t *testing.T, maxLag time.Duration) market.WriteMarks {
		client := connect(t, s.WithLongTimeouts())
		must.Do(t, client.Redis.FlushAll(t.Context()).Err())
		return redisstore.NewWriteMarks(client, maxLag)
	})
}

func TestWriteMarksAreUnavailableWithoutRedis(t *testing.T) {
	s := servers.Redis(t)
	m := redisstore.NewWriteMarks(connect(t, s.URL), time.Second)
	s.Kill()
	if err := m.MarkWriter(t.Context(), 7, time.Second); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("mark: %v", err)
	}
	if _, err := m.IsMarked(t.Context(), 7); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("is marked: %v", err)
	}
}
