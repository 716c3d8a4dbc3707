// Package photo defines the photos of books: which pictures are accepted, how they are kept,
// and what a photo may become.
package photo

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/user"
)

// The bounds of photos.
const (
	MaxBytes    = 8 << 20    // of the picture that a seller sends
	MaxPixels   = 40_000_000 // of that picture
	MaxPerBook  = 5
	MaxPerOwner = 500
	LargeSide   = 1600 // the longer side of the kept picture, in pixels, is at most this
	ThumbSide   = 400  // and that of its thumbnail this
)

// ID identifies a photo. Ids ascend in the order of adding.
type ID int64

// String returns the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// State says what has become of a photo. The numbers are stored.
type State int

// The states of photos. The pictures of a photo are written while it is Pending and deleted
// while it is Removed, so that a crash at any point leaves a row that names them.
const (
	Pending State = 0
	Shown   State = 1
	Removed State = 2
)

// Photo is a photo of a book.
type Photo struct {
	ID            ID
	Book          book.ID
	Owner         user.ID // the seller
	State         State
	Width, Height int // of the large picture; 0 while Pending
	CreatedAt     time.Time
	ChangedAt     time.Time // when it got its state
	LargeSum      Sum       // of the stored pictures; 0 while Pending, and of a photo from before there were sums
	ThumbSum      Sum
	Position      int // among those of its book, before the ID
}

// New returns a photo whose pictures are not stored yet.
func New(id ID, of book.Book, now time.Time) Photo {
	return Photo{ID: id, Book: of.ID, Owner: of.Seller, State: Pending, CreatedAt: now, ChangedAt: now, Position: lastPosition}
}

// The errors of photos.
var (
	ErrNotFound  = fault.New(fault.NotFound, "photo_not_found", "This photo does not exist.")
	ErrBookFull  = fault.New(fault.Conflict, "too_many_photos", "A book can have at most 5 photos. Remove one first.")
	ErrOwnerFull = fault.New(fault.Conflict, "too_many_photos", "You have 500 photos, which is the limit. Remove some first.")

	errInvalid = fault.New(fault.Invalid, "photo_invalid", "This picture cannot be used.")

	ErrEmpty       = refusal("Choose a picture.")
	ErrTooLarge    = refusal("The picture is larger than 8 MiB.")
	ErrFormat      = refusal("The picture must be a JPEG, PNG or WebP.")
	ErrTooDetailed = refusal("The picture has more than 40 megapixels.")
	ErrTooComplex  = refusal("The picture takes too long to read. Save it as an ordinary JPEG and try again.")
	ErrDamaged     = refusal("The picture is damaged or of an unusual kind and cannot be read.")

	// ErrLost means that a stored picture is missing or is no longer what was stored.
	ErrLost = fault.New(fault.Unavailable, "photo_lost", "This picture cannot be shown right now.").After(time.Minute)
)

// refusal is errInvalid with the reason as message and at the field.
func refusal(why string) *fault.Error { return errInvalid.WithMsg(why).WithField("photo", why) }

// CheckSize refuses pictures by their size in bytes.
func CheckSize(n int) error {
	switch {
	case n == 0:
		return ErrEmpty
	case n > MaxBytes:
		return ErrTooLarge
	}
	return nil
}

// CheckDimensions refuses pictures by their width and height in pixels.
func CheckDimensions(width, height int) error {
	switch {
	case width < 1 || height < 1:
		return ErrDamaged
	case width > MaxPixels/height:
		return ErrTooDetailed
	}
	return nil
}

// CheckRoom refuses one more photo of a book and an owner that have these many.
func CheckRoom(ofBook, ofOwner int) error {
	switch {
	case ofBook >= MaxPerBook:
		return ErrBookFull
	case ofOwner >= MaxPerOwner:
		return ErrOwnerFull
	}
	return nil
}

// Show shows a pending photo, whose pictures are stored now.
func (p *Photo) Show(stored Pictures, now time.Time) {
	p.State, p.Width, p.Height, p.ChangedAt = Shown, stored.Width, stored.Height, now
	p.LargeSum, p.ThumbSum = SumOf(stored.Large), SumOf(stored.Thumb)
}

// SumOf returns the sum of one of the stored pictures.
func (p *Photo) SumOf(s Size) Sum {
	if s == Thumb {
		return p.ThumbSum
	}
	return p.LargeSum
}

// lastPosition is that of new photos, behind those that somebody has arranged.
const lastPosition = MaxPerBook + 1

// Compare orders the photos of a book. The first is its cover.
func (p *Photo) Compare(other Photo) int {
	return cmp.Or(cmp.Compare(p.Position, other.Position), cmp.Compare(p.ID, other.ID))
}

// Arrange numbers the photos of a book: first those that are named, in their order, then the others in theirs. Unknown
// names do not matter.
func Arrange(shown []Photo, order ...ID) []Photo {
	named := func(p Photo) int {
		if i := slices.Index(order, p.ID); i >= 0 {
			return i
		}
		return len(order)
	}
	arranged := slices.SortedFunc(slices.Values(shown), func(a, b Photo) int {
		return cmp.Or(cmp.Compare(named(a), named(b)), a.Compare(b))
	})
	for i := range arranged {
		arranged[i].Position = i + 1
	}
	return arranged
}

// Remove hides a photo for good.
func (p *Photo) Remove(now time.Time) { p.State, p.ChangedAt = Removed, now }

// Size is one of the two pictures of a photo.
type Size int

// The sizes.
const (
	Large Size = iota
	Thumb
)

// Path is the path at which a picture is served.
func (i ID) Path(s Size) string {
	if s == Thumb {
		return "/photos/" + i.String() + "/thumb"
	}
	return "/photos/" + i.String()
}

// Key is the name of a picture where pictures are stored: a folder, so that no folder has
// all of them, and a file.
func (i ID) Key(s Size) string {
	name := i.String() + ".jpg"
	if s == Thumb {
		name = i.String() + "-thumb.jpg"
	}
	return strconv.FormatInt(int64(i)%folders+1, 10) + "/" + name
}

// folders is a prime, because ids are often multiples of powers of two.
const folders = 251

// Pictures are a photo as it is kept: JPEG, upright and without metadata.
type Pictures struct {
	Large, Thumb  []byte
	Width, Height int // of Large
}
