package authstore

import (
	"context"
	"fmt"
	"time"
)

// Live counts the sessions that are not over. It looks at all.
func (s *Sessions) Live(ctx context.Context, now time.Time) (int, error) {
	var n int
	at := now.UnixMicro()
	err := s.db.Read.WithContext(ctx).Raw(`SELECT count(*) FROM sessions WHERE NOT `+ends, at, at, at).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count sessions: %w", err)
	}
	return n, nil
}
