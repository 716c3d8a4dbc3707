package buyingstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/text"
	"gorm.io/gorm/clause"
)

type meetingPlaceRow struct {
	ID            meeting.PlaceID `gorm:"primaryKey;autoIncrement:false"`
	UniversityKey string
	University    string
	meeting.Spot
	OpeningHours meeting.OpeningHours
	UpdatedAt    time.Time `gorm:"serializer:micros;autoUpdateTime:false"`
}

// TableName is part of GORM's interface.
func (meetingPlaceRow) TableName() string { return "meeting_places" }

func (r *meetingPlaceRow) place() meeting.Place {
	return meeting.Place{ID: r.ID, University: r.University, Spot: r.Spot, OpeningHours: r.OpeningHours, UpdatedAt: r.UpdatedAt}
}

// meetingPlaces is a part of buying.Store.
type meetingPlaces struct{ marketrows.Handle }

func (s meetingPlaces) SavePlace(ctx context.Context, p meeting.Place, limit int) error {
	row := meetingPlaceRow{p.ID, text.Key(p.University), p.University, p.Spot, p.OpeningHours, p.UpdatedAt}
	others := table.Of[meetingPlaceRow](s.Session).Where("university_key = ? AND id <> ?", row.UniversityKey, row.ID)
	if err := marketrows.MayAdd(ctx, s.Handle, "meeting places of "+row.UniversityKey, others, limit, meeting.ErrTooManyPlaces); err != nil {
		return err
	}
	return table.Of[meetingPlaceRow](s.Session, clause.OnConflict{UpdateAll: true}).Create(ctx, &row)
}

func (s meetingPlaces) FindPlace(ctx context.Context, id meeting.PlaceID) (meeting.Place, error) {
	row, err := rawsql.Take(ctx, table.Of[meetingPlaceRow](s.Session).Where("id = ?", id), meeting.ErrPlaceNotFound)
	return row.place(), err
}

func (s meetingPlaces) LockPlace(ctx context.Context, id meeting.PlaceID) (meeting.Place, error) {
	row, err := rawsql.Take(ctx, table.Of[meetingPlaceRow](s.Session, rawsql.ForUpdate).Where("id = ?", id), meeting.ErrPlaceNotFound)
	return row.place(), err
}

func (s meetingPlaces) DeletePlace(ctx context.Context, id meeting.PlaceID) error {
	n, err := table.Of[meetingPlaceRow](s.Session).Where("id = ?", id).Delete(ctx)
	if err == nil && n == 0 {
		err = meeting.ErrPlaceNotFound
	}
	return err
}

// ListPlacesAt implements buying.Reader.
func (s Reader) ListPlacesAt(ctx context.Context, universities ...string) ([]meeting.Place, error) {
	keys := rawsql.Convert(universities, func(u *string) string { return text.Key(*u) })
	return rawsql.List(ctx, table.Of[meetingPlaceRow](s.DB.Read).Where("university_key IN ?", keys), (*meetingPlaceRow).place)
}

// ListMeetingPlaces implements buying.Reader.
func (s Reader) ListMeetingPlaces(ctx context.Context, university string, before meeting.PlaceID, n int) ([]meeting.Place, error) {
	query := table.Of[meetingPlaceRow](s.DB.Read).Where("id < ?", rawsql.UpperBound(before))
	if university != "" {
		query = query.Where("university_key = ?", text.Key(university))
	}
	return rawsql.List(ctx, query.Order("id DESC").Limit(n), (*meetingPlaceRow).place)
}
