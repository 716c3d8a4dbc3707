package report

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// Photo is a photo that the reporter of an order adds to the report. Its Owner is the reporter; it has no book.
type Photo struct {
	photo.Photo
	Report ID
}

// NewPhoto returns a photo whose pictures are not stored yet.
func NewPhoto(id photo.ID, of Report, now time.Time) Photo {
	return Photo{photo.Photo{ID: id, Owner: of.Reporter, State: photo.Pending, CreatedAt: now, ChangedAt: now}, of.ID}
}

// Path is the path at which a picture of the photo is served.
func (p Photo) Path(s photo.Size) string { return "/problem" + p.ID.Path(s) }

// ErrPhotos refuses one photo too many.
var ErrPhotos = fault.New(fault.Conflict, "too_many_report_photos", "A report can have at most 4 photos.")

// CheckPhoto refuses one more photo by a user of a report that has so many.
func (r Report) CheckPhoto(by user.ID, photos int) error {
	switch {
	case r.Target.Kind != Order || r.Reporter != by:
		return ErrNotFound
	case !r.Open():
		return ErrResolved
	case photos >= MaxPhotos:
		return ErrPhotos
	}
	return nil
}

// ShownTo reports whether a user may see a report about an order: the two people of the order and its admins may.
func (r Report) ShownTo(by user.Caller) bool {
	return r.Target.Kind == Order && (r.Reporter == by.ID || r.About == by.ID || by.Oversees(r.University))
}
