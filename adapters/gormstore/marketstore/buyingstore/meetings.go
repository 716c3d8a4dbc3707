package buyingstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm/clause"
)

type meetingRow struct {
	ID         meeting.ID `gorm:"primaryKey;autoIncrement:false"`
	Order      order.ID   `gorm:"column:order_id"`
	By         user.ID    `gorm:"column:by_id"`
	University string
	meeting.Spot
	At         time.Time `gorm:"column:meet_at;serializer:micros"`
	State      meeting.State
	CreatedAt  time.Time `gorm:"serializer:micros;autoCreateTime:false"`
	AcceptedAt time.Time `gorm:"serializer:micros"`
}

type tryRow struct {
	Order order.ID  `gorm:"column:order_id;primaryKey;autoIncrement:false"`
	N     int       `gorm:"primaryKey;autoIncrement:false"`
	At    time.Time `gorm:"column:tried_at;serializer:micros"`
}

// TableName is part of GORM's interface, here and below.
func (meetingRow) TableName() string { return "meetings" }
func (tryRow) TableName() string     { return "handover_tries" }

func (r *meetingRow) proposal() meeting.Proposal { return meeting.Proposal(*r) }

// meetings is a part of buying.Store.
type meetings struct{ marketrows.Handle }

func (s meetings) FindMeeting(ctx context.Context, id meeting.ID) (meeting.Proposal, error) {
	row, err := rawsql.Take(ctx, table.Of[meetingRow](s.Session).Where("id = ?", id), meeting.ErrNotFound)
	return row.proposal(), err
}

func (s meetings) ListMeetings(ctx context.Context, of order.ID) (meeting.Proposals, error) {
	return rawsql.List(ctx, table.Of[meetingRow](s.Session).Where("order_id = ?", of).Order("id").Limit(2*meeting.MaxProposals), (*meetingRow).proposal)
}

func (s meetings) SaveMeeting(ctx context.Context, p meeting.Proposal) error {
	row := meetingRow(p)
	return table.Of[meetingRow](s.Session, clause.OnConflict{UpdateAll: true}).Create(ctx, &row)
}

// ListMeetingsBy implements buying.Reader.
func (s Reader) ListMeetingsBy(ctx context.Context, by user.ID, before meeting.ID, n int) ([]meeting.Proposal, error) {
	return rawsql.List(ctx, table.Of[meetingRow](s.DB.Read).Where("by_id = ? AND id < ?", by, rawsql.UpperBound(before)).Order("id DESC").Limit(n), (*meetingRow).proposal)
}

// handovers is a part of buying.Store.
type handovers struct{ marketrows.Handle }

func (s handovers) ListTries(ctx context.Context, of order.ID) (meeting.Tries, error) {
	rows, err := table.Of[tryRow](s.Session).Where("order_id = ?", of).Order("n").Find(ctx)
	return rawsql.Convert(rows, func(r *tryRow) time.Time { return r.At }), err
}

func (s handovers) AddTry(ctx context.Context, of order.ID, at time.Time) error {
	n, err := table.Of[tryRow](s.Session).Where("order_id = ?", of).Count(ctx)
	if err != nil {
		return err
	}
	return table.Of[tryRow](s.Session).Create(ctx, &tryRow{of, n + 1, at})
}

func (s handovers) DeleteTries(ctx context.Context, of order.ID) error {
	_, err := table.Of[tryRow](s.Session).Where("order_id = ?", of).Delete(ctx)
	return err
}
