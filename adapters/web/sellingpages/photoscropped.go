package sellingpages

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// cropView is the page on which a seller chooses the part of a photo that is shown.
type cropView struct {
	Of      market.BookView
	Photo   photo.Photo
	N       int // its number among those of the book
	Frame   photo.Frame
	Part    photo.Part // that the frame shows
	MinSize int
}

// frameIn reads a frame from a query or form. What is missing is as in the centre.
func frameIn(values url.Values) photo.Frame {
	percent := func(name string, otherwise int) int {
		if !values.Has(name) {
			return otherwise
		}
		n, err := strconv.Atoi(values.Get(name))
		if err != nil {
			return -1
		}
		return n
	}
	return photo.Frame{X: percent("x", photo.Centre.X), Y: percent("y", photo.Centre.Y), Size: percent("size", photo.Centre.Size)}
}

// showCrop serves GET /book/photos/crop?id=&photo=: of the first photo, if none is named. x, y and size choose the part.
func (p *Pages) showCrop(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	query := r.URL.Query()
	if !query.Has("id") { // after signing in again
		http.Redirect(w, r, "/mine", http.StatusSeeOther)
		return nil
	}
	b, err := p.editable(r.Context(), by, web.IDOf[book.ID](query.Get("id")))
	if err != nil {
		return err
	}
	i := 0
	if query.Has("photo") {
		i = slices.IndexFunc(b.Photos, func(one photo.Photo) bool { return one.ID == web.IDOf[photo.ID](query.Get("photo")) })
	}
	if i < 0 || len(b.Photos) == 0 { // it was removed or changed meanwhile
		return p.Redirect(w, r, photosPath+"?id="+b.ID.String(), "otherphoto")
	}
	v := cropView{Of: b, Photo: b.Photos[i], N: i + 1, Frame: frameIn(query), MinSize: photo.MinSize}
	if v.Frame.Check() != nil {
		v.Frame = photo.Centre
	}
	v.Part = v.Frame.In(v.Photo.Width, v.Photo.Height)
	return p.Show(w, r, http.StatusOK, "crop", "Crop the photo", v)
}

// editable returns a book of the viewer that is for sale or unlisted.
func (p *Pages) editable(ctx context.Context, by user.Caller, id book.ID) (market.BookView, error) {
	b, err := p.Market.Catalogue.Get(ctx, by, id)
	if err != nil {
		return b, err
	}
	if b.Seller != by.ID {
		return b, book.ErrNotYours
	}
	return b, b.CheckEditable()
}

// cropPhoto serves POST /book/photos/crop. The second press of the button finds that the photo is another one.
func (p *Pages) cropPhoto(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	done, err := p.Market.Uploads.Begin(r.Context(), by.ID)
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithTimeout(r.Context(), addPhotoTimeout)
	defer cancel()
	f := r.PostForm
	_, err = p.Market.Photos.Crop(ctx, by, web.IDOf[photo.ID](f.Get("photo")), frameIn(f))
	flash := "cropped"
	if errors.Is(err, photo.ErrNotFound) {
		flash, err = "otherphoto", nil
	}
	return p.Done(w, r, err, photosPath+"?id="+web.IDOf[book.ID](f.Get("id")).String(), flash)
}
