// Package rooms lists the rooms of the marketplace, once for everybody who opens them: the JSON
// API, the pages, the worker and the tests.
package rooms

import (
	"cmp"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/pushing"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/report"
)

// Selling is the room of what people sell: listings, imports, photos.
type Selling = selling.Room

// Buying is the room of what people buy: carts, orders, meetings, ratings.
type Buying = buying.Room

// Finding is the room of what people look for: search, requests, saved searches, courses.
type Finding = finding.Room

// Guarding is the room of those who watch over the market: reports, moderation, statistics.
type Guarding = guarding.Room

// Pushing is the room of notifications in browsers that are not open.
type Pushing = pushing.Room

// Talking is the room of conversations.
type Talking = talking.Room

// Market has all use cases of the marketplace.
type Market struct {
	*Selling
	*Buying
	*Finding
	*Guarding
	*Talking
	*Pushing

	// The work behind all of them.
	Jobs         *market.Jobs
	DigestMailer *market.DigestMailer
}

// Config has the settings of the rooms, besides those in market.Deps.
type Config struct {
	Fee       order.FeeRate
	Threshold report.Threshold
	Handovers meeting.Secret // the key of all codes
	Zone      *time.Location // of the campus: of days in statistics, meetings and quiet hours; nil: UTC
	Blobs     selling.BlobStore
	Pictures  selling.PictureConverter
	FindISBN  selling.FindISBN // nil: none
	Suspend   guarding.SuspendAccount
	Push      pushing.Config // its Zone is that of this Config
	// Standby is a storage that follows; nil: none. Reads decides when it is read.
	Standby Storage
	Reads   *market.StandbyReads
}

// New returns the use cases over a storage.
func New(d market.Deps, s Storage, c Config) *Market {
	if d.Hooks == nil {
		d = Join(d, s)
	}
	c.Zone = cmp.Or(c.Zone, time.UTC)
	c.Push.Zone = c.Zone
	return &Market{
		Selling: selling.New(d, s, s.SellingStore, selling.Config{
			Blobs: c.Blobs, Pictures: c.Pictures, FindISBN: c.FindISBN, Standby: c.Standby, Reads: c.Reads,
		}),
		Buying:  buying.New(d, s, s.BuyingStore, buying.Config{Fee: c.Fee, Handovers: c.Handovers, Zone: c.Zone}),
		Finding: finding.New(d, s, s.FindingStore, finding.Config{Standby: c.Standby, Reads: c.Reads}),
		Guarding: guarding.New(d, s, s.GuardingStore, guarding.Config{
			Threshold: c.Threshold, Zone: c.Zone, Suspend: c.Suspend, Standby: c.Standby, Reads: c.Reads,
			Blobs: c.Blobs, Pictures: c.Pictures,
		}),
		Talking: talking.New(d, s, s.TalkingStore),
		Pushing: pushing.New(d, s, s.PushingStore, c.Push),

		Jobs: market.NewJobs(d), DigestMailer: market.NewDigestMailer(d),
	}
}

// Periodic lists the work that the rooms do again and again.
func (m *Market) Periodic() []market.Periodic {
	digests := market.Periodic{Name: "mail_digests", Every: time.Minute, Do: m.DigestMailer.MailDue, Batch: market.DigestBatch}
	return slices.Concat(
		m.Selling.Periodic(), m.Finding.Periodic(), m.Buying.Periodic(), m.Talking.Periodic(), m.Guarding.Periodic(), m.Pushing.Periodic(),
		[]market.Periodic{digests},
	)
}

// Join returns the dependencies with what the rooms do for each other. Their order is that in which
// they lock.
func Join(d market.Deps, s Storage) market.Deps {
	h := &market.Hooks{}
	selling.Join(h, s.SellingStore)
	guarding.Join(h, s.GuardingStore)
	buying.Join(h, s.BuyingStore)
	finding.Join(h, s.FindingStore)
	talking.Join(h, s.TalkingStore)
	pushing.Join(h, s.PushingStore)
	d.Hooks = h
	return d
}

// NewExport returns the export of what all rooms store about a user.
func NewExport(s Storage, c money.Currency) *market.Export {
	return market.NewExport(c, selling.Export(s), finding.Export(s), buying.Export(s), talking.Export(s),
		guarding.Export(s), pushing.Export(s))
}
