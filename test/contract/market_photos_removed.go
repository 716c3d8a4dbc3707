package contract

import (
	"context"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

func photosHalfAdded(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	kept := b.addPhoto(t, ann, v.ID)
	b.Pictures.During(func() error { return photo.ErrDamaged })
	refused(t, must.Err(b.Photos.Add(t.Context(), ann, v.ID, fake.Picture)), photo.ErrDamaged)
	for puts := range 2 { // the program ends after so many pictures
		killed := b.Over(b.Deps, func(c *rooms.Config) { c.Blobs = &failingBlobs{b.Blobs, puts} }).Photos
		refused(t, must.Err(killed.Add(t.Context(), ann, v.ID, fake.Picture)), errBoom)
	}
	b.Pictures.During(func() error { // and the book is sold meanwhile
		b.Buy(t, bob, v.ID)
		return nil
	})
	refused(t, must.Err(b.Photos.Add(t.Context(), ann, v.ID, fake.Picture)), book.ErrNotEditable)
	if n := b.Blobs.Len(); n != 2+1+2 {
		t.Fatalf("%d pictures are stored", n)
	}
	if n, err := b.PhotoSweeper.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("%d photos were swept that may still be shown: %v", n, err)
	}
	if n := b.sweep(t); n != 4 || b.Blobs.Len() != 2 {
		t.Errorf("%d photos were swept, %d pictures stay", n, b.Blobs.Len())
	}
	one := must.Get(b.Catalogue.Get(t.Context(), ann, v.ID))(t)
	if !slices.Equal(one.Photos, []photo.Photo{asListed(kept)}) {
		t.Errorf("the book has the photos %+v", one.Photos)
	}
}

// failingBlobs fails after some puts.
type failingBlobs struct {
	selling.BlobStore
	puts int
}

func (f *failingBlobs) PutBlob(ctx context.Context, key string, data []byte) error {
	if f.puts == 0 {
		return errBoom
	}
	f.puts--
	return f.BlobStore.PutBlob(ctx, key, data)
}

func photosRemoved(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	p := b.addPhoto(t, ann, v.ID)
	must.Do(t, b.Photos.Remove(t.Context(), ann, p.ID))
	refused(t, b.Photos.Remove(t.Context(), ann, p.ID), photo.ErrNotFound)
	refused(t, must.Err(b.Photos.Find(t.Context(), ann, p.ID)), photo.ErrNotFound)
	if n := b.sweep(t); n != 1 || b.Blobs.Len() != 0 {
		t.Errorf("%d photos were swept, %d pictures stay", n, b.Blobs.Len())
	}
	refused(t, must.Err(b.Photos.Read(t.Context(), p, photo.Large)), photo.ErrNotFound)
	if n := b.sweep(t); n != 0 {
		t.Errorf("%d photos were swept twice", n)
	}
}

func photosErased(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v, sold := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Physics", "PHY 121", 1000))
	p, q := b.addPhoto(t, ann, v.ID), b.addPhoto(t, ann, sold.ID)
	b.Buy(t, bob, sold.ID)
	boss := b.Join(t, "boss", user.Admin)
	b.DeleteUser(t, ann)
	for _, id := range []photo.ID{p.ID, q.ID} {
		refused(t, must.Err(b.Photos.Find(t.Context(), boss, id)), photo.ErrNotFound)
	}
	if n := b.sweep(t); n != 2 || b.Blobs.Len() != 0 {
		t.Errorf("%d photos were swept, %d pictures stay", n, b.Blobs.Len())
	}
}

func photosExported(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	p := b.addPhoto(t, ann, v.ID)
	out := b.export(t, ann, 10)
	want := selling.ExportedPhoto{ID: p.ID.String(), Path: "/photos/" + p.ID.String(), Width: 1600, Height: 1200, CreatedAt: p.CreatedAt}
	if len(out.Books) != 1 || !slices.Equal(out.Books[0].Photos, []selling.ExportedPhoto{want}) {
		t.Errorf("export is %+v", out.Books)
	}
}

func photosLost(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	p := b.addPhoto(t, ann, v.ID)
	key := p.ID.Key(photo.Large)
	good := must.Get(b.Blobs.GetBlob(t.Context(), key))(t)
	other := slices.Clone(good)
	other[len(other)/2] ^= 1
	for name, bad := range map[string][]byte{"emptied": {}, "cut": good[:len(good)-1], "changed": other} {
		must.Do(t, b.Blobs.PutBlob(t.Context(), key, bad))
		must.Refuse(t, must.Err(b.Photos.Read(t.Context(), p, photo.Large)), photo.ErrLost, name)
	}
	must.Do(t, b.Blobs.DeleteBlob(t.Context(), key))
	must.Refuse(t, must.Err(b.Photos.Read(t.Context(), p, photo.Large)), photo.ErrLost, "deleted")
	if _, err := b.Photos.Read(t.Context(), p, photo.Thumb); err != nil {
		t.Errorf("the other size: %v", err)
	}
	must.Do(t, b.Blobs.PutBlob(t.Context(), key, good))
	if data, err := b.Photos.Read(t.Context(), p, photo.Large); err != nil || !slices.Equal(data, good) {
		t.Errorf("stored again: %q, %v", data, err)
	}
}
