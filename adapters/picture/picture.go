// Package picture turns the pictures that people send into those that are kept: upright JPEG
// without metadata, in the colours of sRGB, in two sizes. It decodes JPEG and PNG with the standard library and WebP
// with golang.org/x/image, in a process of its own, see Converter.
package picture

import (
	"bytes"
	"image"
	"image/draw"
	"image/jpeg"

	"github.com/octavo-books/octavo/domain/photo"
)

const (
	largeQuality = 82
	thumbQuality = 78
	// Pages show dozens of thumbnails, so one has at most thumbBytes, unless even the worst quality needs more.
	thumbBytes   = 25 << 10
	worstQuality = 30
)

// convert decodes a picture and makes those that are kept.
func convert(data []byte) (photo.Pictures, error) {
	f, _, err := inspect(data)
	if err != nil {
		return photo.Pictures{}, err
	}
	decoded, err := f.decode(bytes.NewReader(data))
	if err != nil {
		return photo.Pictures{}, photo.ErrDamaged
	}
	large := upright(shrink(decoded, photo.LargeSide), orientation(f.exif(data)))
	toSRGB(large, f.profile(data))
	if part, found := frameOf(data); found {
		large = crop(large, part)
	}
	thumb := shrink(large, photo.ThumbSide)
	out := photo.Pictures{Width: large.Rect.Dx(), Height: large.Rect.Dy()}
	if out.Large, err = encode(large, largeQuality); err != nil {
		return photo.Pictures{}, err
	}
	for quality := thumbQuality; ; quality -= 8 {
		if out.Thumb, err = encode(thumb, quality); err != nil || len(out.Thumb) <= thumbBytes || quality <= worstQuality {
			return out, err
		}
	}
}

func encode(m image.Image, quality int) ([]byte, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, m, &jpeg.Options{Quality: quality})
	return b.Bytes(), err
}

// shrink returns a picture on white whose longer side is at most side. Each of its pixels is
// the average of the area that it covers. It needs memory for one row of the original.
func shrink(src image.Image, side int) *image.RGBA {
	from := src.Bounds()
	width, height := fit(from.Dx(), from.Dy(), side)
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	columns, rows := shares(from.Dx(), width), shares(from.Dy(), height)
	row := image.NewRGBA(image.Rect(0, 0, from.Dx(), 1))
	line, sum, next := make([]float32, 3*width+3), make([]float32, 3*width+3), make([]float32, 3*width+3)
	for y := range rows {
		for i := range row.Pix {
			row.Pix[i] = 0xff
		}
		draw.Draw(row, row.Rect, src, image.Pt(from.Min.X, from.Min.Y+y), draw.Over)
		average(line, row.Pix, columns)
		for i, v := range line {
			sum[i] += v * rows[y].here
			next[i] += v * rows[y].beyond
		}
		if y+1 == len(rows) || rows[y+1].to != rows[y].to {
			setRow(out, rows[y].to, sum)
			sum, next = next, sum
			clear(next)
		}
	}
	return out
}

// fit returns the dimensions within a square of that side.
func fit(width, height, side int) (int, int) {
	longer := max(width, height)
	if longer <= side {
		return width, height
	}
	scale := func(n int) int { return max(1, (n*side+longer/2)/longer) }
	return scale(width), scale(height)
}

// share says to which column or row of the result one of the original contributes, and how
// much to it and to the one after it.
type share struct {
	to           int
	here, beyond float32
}

// shares divides n columns or rows among m, which are not more.
func shares(n, m int) []share {
	all := make([]share, n)
	for i := range all {
		to := i * m / n
		left := min(m, (to+1)*n-i*m) // until the next begins, in parts of n
		all[i] = share{to, float32(left) / float32(n), float32(m-left) / float32(n)}
	}
	return all
}

// average shrinks one row of RGBA pixels to line, which has room for one more pixel.
func average(line []float32, row []byte, columns []share) {
	clear(line)
	for x, c := range columns {
		p, at := row[4*x:4*x+3:4*x+3], line[3*c.to:3*c.to+6:3*c.to+6]
		for i, v := range p {
			at[i] += float32(v) * c.here
			at[i+3] += float32(v) * c.beyond
		}
	}
}

func setRow(out *image.RGBA, y int, sum []float32) {
	pix := out.Pix[y*out.Stride : (y+1)*out.Stride]
	for x := range out.Rect.Dx() {
		for i := range 3 {
			pix[4*x+i] = byte(min(255, sum[3*x+i]+0.5))
		}
		pix[4*x+3] = 0xff
	}
}

// upright undoes the orientation of a picture, as EXIF numbers it.
func upright(m *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 || orientation > 8 {
		return m
	}
	width, height := m.Rect.Dx(), m.Rect.Dy()
	size := image.Rect(0, 0, width, height)
	if orientation > 4 {
		size = image.Rect(0, 0, height, width)
	}
	out := image.NewRGBA(size)
	for y := range size.Dy() {
		for x := range size.Dx() {
			fromX, fromY := origin(orientation, x, y, width, height)
			copy(out.Pix[out.PixOffset(x, y):][:4], m.Pix[m.PixOffset(fromX, fromY):])
		}
	}
	return out
}

// origin returns where the pixel at x, y of the upright picture is in the stored one.
func origin(orientation, x, y, width, height int) (int, int) {
	switch orientation {
	case 2:
		return width - 1 - x, y
	case 3:
		return width - 1 - x, height - 1 - y
	case 4:
		return x, height - 1 - y
	case 5:
		return y, x
	case 6:
		return y, height - 1 - x
	case 7:
		return width - 1 - y, height - 1 - x
	default:
		return width - 1 - y, x
	}
}
