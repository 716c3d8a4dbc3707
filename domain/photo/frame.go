package photo

import "github.com/octavo-books/octavo/domain/fault"

// Frame is the part of a photo that is 3 wide and 4 high, as pages show pictures. All are percentages: X and Y say where it
// is between left and right, top and bottom, and Size how large it is of the largest one that fits.
type Frame struct{ X, Y, Size int }

// Centre is the frame that pages show of a photo that nobody has cropped.
var Centre = Frame{50, 50, 100}

// MinSize is the smallest Size of a frame.
const MinSize = 30

// ErrFrame refuses a frame that is not within the photo.
var ErrFrame = fault.New(fault.Invalid, "photo_frame", "Choose a part within the photo.")

// Check refuses a frame that is not within the photo.
func (f Frame) Check() error {
	if min(f.X, f.Y) < 0 || max(f.X, f.Y, f.Size) > 100 || f.Size < MinSize {
		return ErrFrame
	}
	return nil
}

// Part is a part of a picture in pixels, from its upper left corner.
type Part struct{ X, Y, Width, Height int }

// In returns the part of a picture that the frame shows.
func (f Frame) In(width, height int) Part {
	w, h := width, width*4/3
	if h > height {
		w, h = height*3/4, height
	}
	w, h = max(1, w*f.Size/100), max(1, h*f.Size/100)
	return Part{(width - w) * f.X / 100, (height - h) * f.Y / 100, w, h}
}
