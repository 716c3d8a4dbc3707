package contract

import (
	"fmt"
	"sync"

	"github.com/octavo-books/octavo/application/inbox"
)

func inboxSenders(s *inboxSuite) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	stored := map[string]int{}
	for sender := range 8 {
		var batch inbox.Batch
		for i := range 10 { // each in another order
			d := s.delivery(fmt.Sprint((i*7+sender)%10), 0, pushRule)
			batch.Deliveries = append(batch.Deliveries, d)
		}
		wg.Go(func() {
			fresh, err := s.CommitBatch(s.ctx, batch)
			if err != nil {
				s.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for i, ok := range fresh {
				if ok {
					stored[batch.Deliveries[i].ID]++
				}
			}
		})
	}
	wg.Wait()
	for id, n := range stored {
		if n != 1 {
			s.Errorf("%s was stored %d times, want 1", id, n)
		}
	}
	if len(stored) != 10 || len(s.claim(1, 100)) != 10 {
		s.Errorf("%d ids are stored", len(stored))
	}
}

func inboxClaimers(s *inboxSuite) {
	var all []inbox.Delivery
	for i := range 100 {
		all = append(all, s.delivery(fmt.Sprint(i), 0, pushRule))
	}
	s.store(all...)
	var wg sync.WaitGroup
	var mu sync.Mutex
	claimed := map[string]int{}
	for range 8 {
		wg.Go(func() {
			for {
				tasks, err := s.ClaimJobs(s.ctx, inbox.Claim{Rule: pushRule, Now: monday, LeaseUntil: monday.Add(lease), Limit: 7})
				if err != nil {
					s.Error(err)
					return
				}
				mu.Lock()
				for _, t := range tasks {
					claimed[t.DeliveryID]++
				}
				enough := len(claimed) == 100
				mu.Unlock()
				if enough || len(tasks) == 0 && s.ctx.Err() != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	for id, n := range claimed {
		if n != 1 {
			s.Errorf("%s was claimed %d times, want 1", id, n)
		}
	}
}
