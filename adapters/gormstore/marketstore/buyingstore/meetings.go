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

func (s meetings) FindOpenMeeting(ctx context.Context, of order.ID) (*meeting.Proposal, error) {
	rows, err := table.Of[meetingRow](s.Session).Where("order_id = ? AND state < 2", of).Limit(1).Find(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	p := rows[0].proposal()
	return &p, nil
}

func (s meetings) CountMeetings(ctx context.Context, of order.ID, by user.ID) (int, error) {
	return table.Of[meetingRow](s.Session).Where("order_id = ? AND by_id = ?", of, by).Count(ctx)
}

func (s meetings) AddMeeting(ctx context.Context, p meeting.Proposal) error {
	if err := s.closeMeeting(ctx, p.Order, meeting.Superseded); err != nil {
		return err
	}
	row := meetingRow(p)
	return table.Of[meetingRow](s.Session).Create(ctx, &row)
}

func (s meetings) AcceptMeeting(ctx context.Context, p meeting.Proposal) error {
	_, err := table.Of[meetingRow](s.Session).Where("id = ?", p.ID).Select("state", "accepted_at").
		Updates(ctx, meetingRow{State: p.State, AcceptedAt: p.AcceptedAt})
	return err
}

func (s meetings) EndMeeting(ctx context.Context, of order.ID) error {
	return s.closeMeeting(ctx, of, meeting.Ended)
}

func (s meetings) closeMeeting(ctx context.Context, of order.ID, as meeting.State) error {
	_, err := s.Exec(ctx, "UPDATE meetings SET state = ? WHERE order_id = ? AND state < 2", int(as), int64(of))
	return err
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
