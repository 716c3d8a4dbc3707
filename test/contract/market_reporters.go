package contract

import (
	"testing"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func reportersSecret(t *testing.T, b *MarketFixture) {
	dean, bob, other := b.Join(t, "dean", user.Admin), b.Join(t, "bob", user.Regular), b.Join(t, "olga", user.Owner)
	sold := b.sell(t, dean, bob, "Topology")
	id := must.Get(b.Reports.Add(t.Context(), bob, guarding.ReportDraft{Targets: person(dean), Reason: report.Abuse, Order: sold.ID}))(t)
	for _, c := range []struct {
		by   user.Caller
		told bool
	}{{dean, false}, {other, true}} {
		one, open := must.Get2(b.Moderation.Get(t.Context(), c.by, id))(t)
		listed, _ := must.Get2(b.Moderation.ListOpen(t.Context(), c.by, market.Page{}))(t)
		about := must.Get(b.Moderation.ListAbout(t.Context(), c.by, dean.ID))(t)
		for _, r := range append(append(append(open, listed...), about...), one) {
			if told := r.Reporter != 0 || r.ReporterName != "" || r.Order != 0; r.ID != id || told != c.told {
				t.Errorf("%d is told %+v", c.by.ID, r)
			}
		}
	}
}
