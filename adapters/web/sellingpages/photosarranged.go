package sellingpages

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// movePhoto serves POST /book/photos/move: one earlier, or with to=first before all others.
func (p *Pages) movePhoto(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	f := r.PostForm
	of, id := web.IDOf[book.ID](f.Get("back")), web.IDOf[photo.ID](f.Get("id"))
	b, err := p.Market.Catalogue.Get(r.Context(), by, of)
	if err != nil {
		return err
	}
	var order []photo.ID
	for _, one := range b.Photos {
		order = append(order, one.ID)
	}
	at := slices.Index(order, id)
	switch {
	case at < 1: // it is the first, or was removed meanwhile
	case f.Get("to") == "first":
		order = slices.Insert(slices.Delete(order, at, at+1), 0, id)
	default:
		order[at-1], order[at] = order[at], order[at-1]
	}
	return p.Done(w, r, p.Market.Photos.Arrange(r.Context(), by, of, order...), photosPath+"?id="+of.String(), "cover")
}

// turnPhoto serves POST /book/photos/turn. The second press of the button finds a photo that was turned already.
func (p *Pages) turnPhoto(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	done, err := p.Market.Uploads.Begin(r.Context(), by.ID)
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithTimeout(r.Context(), addPhotoTimeout)
	defer cancel()
	_, err = p.Market.Photos.Turn(ctx, by, web.IDOf[photo.ID](r.PostForm.Get("id")))
	if errors.Is(err, photo.ErrNotFound) {
		err = nil
	}
	return p.Done(w, r, err, photosPath+"?id="+web.IDOf[book.ID](r.PostForm.Get("back")).String(), "")
}
