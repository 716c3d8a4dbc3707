package contract

import (
	"errors"

	"github.com/octavo-books/octavo/application/inbox"
)

func inboxSources(s *inboxSuite) {
	of := func(source, id string, n int) inbox.Delivery {
		d := s.delivery(id, n, pushRule)
		d.Source, d.Header = source, map[string]string{"X-Github-Event": source}
		return d
	}
	ci, shop := of("ci", "a", 1), of("shop", "a", 2)
	s.store(s.delivery("a", 0, pushRule), ci, shop, of("ci", "b", 3))
	fresh, err := s.CommitBatch(s.ctx, inbox.Batch{Deliveries: []inbox.Delivery{of("ci", "a", 4), of("lab", "a", 5), of("lab", "a", 6)}})
	if err != nil || fresh[0] || fresh[1] == fresh[2] {
		s.Fatalf("fresh is %v, %v", fresh, err)
	}
	for source, seq := range map[string]int64{"ci": ci.Seq, "shop": shop.Seq} {
		if got, err := s.FindDelivery(s.ctx, source, "a"); err != nil || got.Seq != seq || got.Source != source || len(got.Jobs) != 1 {
			s.Errorf("found %+v of %s, %v", got, source, err)
		}
	}
	if got := s.find("a"); got.Source != "lab" {
		s.Errorf("without a source, that of %s is found and not the newest, want lab", got.Source)
	}
	if _, err := s.FindDelivery(s.ctx, "shop", "b"); !errors.Is(err, inbox.ErrNotFound) {
		s.Errorf("an id of another source: %v, want %v", err, inbox.ErrNotFound)
	}
	s.wantList(inbox.Query{Source: "ci"}, "b", "a")
	s.wantList(inbox.Query{Source: "ci", Limit: 1}, "b")
	s.wantList(inbox.Query{Source: "ci", State: "pending", Event: "push", Before: shop.Seq}, "a")
	s.wantList(inbox.Query{Source: inbox.DefaultSource}, "a")
	s.wantList(inbox.Query{Source: inbox.DefaultSource, Event: "push"}, "a")
	s.wantList(inbox.Query{Source: "nobody"})
	for _, t := range s.claim(10, 2) {
		if want := map[string]string{inbox.DefaultSource: "", "ci": "ci"}; t.Header["X-Github-Event"] != want[t.Source] {
			s.Errorf("claimed %+v", t)
		}
	}
}
