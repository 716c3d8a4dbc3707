package contract

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

// marketPhotos checks photos, over a converter that does not look at pictures.
func marketPhotos(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a photo is shown wherever its book is":                                       photosWithBooks,
		"the seller arranges, turns and crops photos, whatever happens meanwhile":     photosArranged,
		"a turned photo keeps its place, also if nobody has arranged the photos":      photosTurnedInPlace,
		"only the seller adds and removes photos, and not of a sold book":             photosOfSeller,
		"a picture is refused before anything is stored":                              photosRefused,
		"a book has at most five photos, also of those added at the same time":        photosOfBookFull,
		"a person has at most five hundred photos":                                    photosOfOwnerFull,
		"photos are hidden with their book":                                           photosHidden,
		"a photo whose upload was interrupted is not shown and leaves nothing behind": photosHalfAdded,
		"a removed photo is hidden at once and deleted later":                         photosRemoved,
		"the photos of a deleted account are hidden at once and deleted later":        photosErased,
		"an export has the photos of one's books":                                     photosExported,
		"a photo changes only from the expected state":                                photoGuarded,
		"a picture that is not what was stored is not shown":                          photosLost,
		"mails show the cover of a book that is not withdrawn":                        coversMailed,
		"mails about one book name it for its picture":                                coversNamed,
		"photos from before there were sums get them, and damaged ones are told":      photosMeasured,
	})
}

// asListed is a photo without what lists leave out.
func asListed(p photo.Photo) photo.Photo {
	p.ChangedAt, p.LargeSum, p.ThumbSum = time.Time{}, 0, 0
	return p
}

func (b *MarketFixture) addPhoto(t *testing.T, by user.Caller, id book.ID) photo.Photo {
	t.Helper()
	p := must.Get(b.Photos.Add(t.Context(), by, id, fake.Picture))(t)
	b.Clock.Advance(time.Minute)
	return p
}

// sweep sweeps photos after the grace period.
func (b *MarketFixture) sweep(t *testing.T) (deleted int) {
	t.Helper()
	for range 2 { // pending photos become removed, and then deleted
		b.Clock.Advance(selling.PhotoGrace + time.Minute)
		n := must.Get(b.PhotoSweeper.Sweep(t.Context()))(t)
		deleted += n
	}
	return deleted
}

func photosWithBooks(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	other, v := b.Post(t, ann, Draft("Physics", "PHY 121", 1000)), b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	first, second := b.addPhoto(t, ann, v.ID), b.addPhoto(t, ann, v.ID)
	first, second = asListed(first), asListed(second)
	_, matches := b.Request(t, bob, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	check := func(where string, views []market.BookView) {
		t.Helper()
		at := slices.IndexFunc(views, func(w market.BookView) bool { return w.ID == v.ID })
		if at < 0 || !slices.Equal(views[at].Photos, []photo.Photo{first, second}) {
			t.Errorf("%s has %+v, want the photos %+v, %+v", where, views, first, second)
		}
		for _, w := range views {
			if w.ID == other.ID && len(w.Photos) != 0 {
				t.Errorf("%s has photos of the other book: %+v", where, w.Photos)
			}
		}
	}
	one := must.Get(b.Catalogue.Get(t.Context(), bob, v.ID))(t)
	check("the book", []market.BookView{one})
	views, _ := must.Get2(b.Catalogue.List(t.Context(), bob, finding.Filter{}, market.Page{}))(t)
	check("the catalogue", views)
	views, _ = must.Get2(b.Catalogue.Search(t.Context(), bob, "calculus", finding.Filter{}, market.Page{}))(t)
	check("a search", views)
	for _, change := range []func(context.Context, user.Caller, book.ID) (market.BookView, error){b.Listings.Unlist, b.Listings.Relist} {
		one := must.Get(change(t.Context(), ann, v.ID))(t)
		check("an answer to the seller", []market.BookView{one})
	}
	views, _ = must.Get2(b.Listings.ListMine(t.Context(), ann, market.Page{}))(t)
	check("the seller's list", views)
	check("the answer to a request", []market.BookView{matches[0].Book})
	stored, _ := must.Get2(b.Requests.ListMatches(t.Context(), bob, market.Page{}))(t)
	check("the matches", []market.BookView{stored[0].Book})
	must.Do(t, b.Carts.Add(t.Context(), bob, v.ID))
	items, _ := must.Get2(b.Carts.List(t.Context(), bob, market.Page{}))(t)
	check("the cart", []market.BookView{items[0].BookView})
	b.Buy(t, bob, v.ID)
	views, _ = must.Get2(b.Orders.ListPurchased(t.Context(), bob, market.Page{}))(t)
	check("the purchases", views)
}

func photosOfSeller(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	p := b.addPhoto(t, ann, v.ID)
	add := func(by user.Caller, id book.ID) error {
		return must.Err(b.Photos.Add(t.Context(), by, id, fake.Picture))
	}
	refused(t, add(bob, v.ID), book.ErrNotYours)
	refused(t, add(ann, 404), book.ErrNotFound)
	refused(t, add(user.Caller{}, v.ID), user.ErrUnauthenticated)
	refused(t, b.Photos.Remove(t.Context(), bob, p.ID), book.ErrNotYours)
	refused(t, b.Photos.Remove(t.Context(), ann, 404), photo.ErrNotFound)
	must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	refused(t, add(bob, v.ID), book.ErrNotFound)
	refused(t, b.Photos.Remove(t.Context(), bob, p.ID), photo.ErrNotFound)
	b.addPhoto(t, ann, v.ID)
	must.Get(b.Listings.Relist(t.Context(), ann, v.ID))(t)
	b.Buy(t, bob, v.ID)
	refused(t, add(ann, v.ID), book.ErrNotEditable)
	refused(t, b.Photos.Remove(t.Context(), ann, p.ID), book.ErrNotEditable)
}

func photosArranged(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	one, two, three := b.addPhoto(t, ann, v.ID).ID, b.addPhoto(t, ann, v.ID).ID, b.addPhoto(t, ann, v.ID).ID
	shows := func(want ...photo.ID) {
		t.Helper()
		mine, _ := must.Get2(b.Listings.ListMine(t.Context(), ann, market.Page{}))(t)
		one := must.Get(b.Catalogue.Get(t.Context(), bob, v.ID))(t)
		for name, views := range map[string][]market.BookView{"the book": {one}, "the seller's list": mine} {
			var got []photo.ID
			for _, p := range views[0].Photos {
				got = append(got, p.ID)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s shows the photos %v, want %v", name, got, want)
			}
		}
	}
	must.Do(t, b.Photos.Arrange(t.Context(), ann, v.ID, three, 404, one))
	shows(three, one, two)
	four := b.addPhoto(t, ann, v.ID).ID
	shows(three, one, two, four)
	turned := must.Get(b.Photos.Turn(t.Context(), ann, one))(t)
	shows(three, turned.ID, two, four)
	found, _ := must.Get2(b.Photos.Find(t.Context(), bob, turned.ID))(t)
	large := must.Get(b.Photos.Read(t.Context(), found, photo.Large))(t)
	if !strings.Contains(string(large), "turned ") {
		t.Errorf("the turned photo is %q", large)
	}
	refused(t, must.Err(b.Photos.Turn(t.Context(), ann, one)), photo.ErrNotFound)
	refused(t, must.Err(b.Photos.Turn(t.Context(), bob, two)), book.ErrNotYours)
	refused(t, b.Photos.Arrange(t.Context(), bob, v.ID, two), book.ErrNotYours)
	b.Pictures.During(func() error { return b.Photos.Remove(t.Context(), ann, two) })
	refused(t, must.Err(b.Photos.Turn(t.Context(), ann, two)), photo.ErrNotFound)
	b.Pictures.During(func() error { return b.Photos.Arrange(t.Context(), ann, v.ID, four) })
	last := must.Get(b.Photos.Turn(t.Context(), ann, four))(t)
	shows(last.ID, three, turned.ID)
	cropped := must.Get(b.Photos.Crop(t.Context(), ann, last.ID, photo.Frame{X: 0, Y: 50, Size: 50}))(t)
	shows(cropped.ID, three, turned.ID)
	if found, _ := must.Get2(b.Photos.Find(t.Context(), bob, cropped.ID))(t); found.Width != 450 || found.Height != 600 {
		t.Errorf("the cropped photo is %d by %d", found.Width, found.Height)
	}
	refused(t, must.Err(b.Photos.Crop(t.Context(), bob, three, photo.Centre)), book.ErrNotYours)
	refused(t, must.Err(b.Photos.Crop(t.Context(), ann, three, photo.Frame{X: 101, Y: 0, Size: 50})), photo.ErrFrame)
	b.Buy(t, bob, v.ID)
	refused(t, must.Err(b.Photos.Turn(t.Context(), ann, three)), book.ErrNotEditable)
	refused(t, b.Photos.Arrange(t.Context(), ann, v.ID, three), book.ErrNotEditable)
}

func photosRefused(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	for _, c := range []struct {
		data []byte
		want error
	}{{nil, photo.ErrEmpty}, {make([]byte, photo.MaxBytes+1), photo.ErrTooLarge}, {[]byte("text"), photo.ErrFormat}} {
		_, err := b.Photos.Add(t.Context(), ann, v.ID, c.data)
		if err == nil || err.Error() != c.want.Error() {
			t.Errorf("%d bytes: %v, want %v", len(c.data), err, c.want)
		}
	}
	if b.sweep(t) != 0 || b.Blobs.Len() != 0 {
		t.Error("something was stored")
	}
}

func photosOfBookFull(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	var all sync.WaitGroup
	for range 2 * photo.MaxPerBook {
		all.Go(func() {
			if _, err := b.Photos.Add(context.WithoutCancel(t.Context()), ann, v.ID, fake.Picture); err != nil && !errors.Is(err, photo.ErrBookFull) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	one := must.Get(b.Catalogue.Get(t.Context(), ann, v.ID))(t)
	if len(one.Photos) != photo.MaxPerBook {
		t.Fatalf("the book has %d photos, want %d", len(one.Photos), photo.MaxPerBook)
	}
	refused(t, must.Err(b.Photos.Add(t.Context(), ann, v.ID, fake.Picture)), photo.ErrBookFull)
	must.Do(t, b.Photos.Remove(t.Context(), ann, one.Photos[0].ID))
	b.addPhoto(t, ann, v.ID)
	b.sweep(t)
	if n := b.Blobs.Len(); n != 2*photo.MaxPerBook {
		t.Errorf("%d pictures are stored of %d photos", n, photo.MaxPerBook)
	}
}

func photosOfOwnerFull(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	full, v, bobs := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000)), b.Post(t, ann, Draft("Physics", "PHY 121", 1000)), b.Post(t, bob, Draft("Biology", "BIO 110", 1000))
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		for range photo.MaxPerOwner {
			p := photo.New(photo.ID(b.IDs.Next()), full.Book, b.Clock.Now())
			p.Show(photo.Pictures{Width: 1600, Height: 1200}, b.Clock.Now())
			if err := s.Selling.AddPhoto(ctx, p); err != nil {
				return err
			}
		}
		return nil
	}))
	_, err := b.Photos.Add(t.Context(), ann, v.ID, fake.Picture)
	if err == nil || err.Error() != photo.ErrOwnerFull.Error() {
		t.Errorf("the 501st photo: %v", err)
	}
	b.addPhoto(t, bob, bobs.ID)
}

func photosHidden(t *testing.T, b *MarketFixture) {
	ann, bob, eve, boss := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "eve", user.Regular), b.Join(t, "boss", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	p := b.addPhoto(t, ann, v.ID)
	see := func(public bool, who ...user.Caller) {
		t.Helper()
		for _, by := range who {
			found, everybody, err := b.Photos.Find(t.Context(), by, p.ID)
			if err != nil || found != p || everybody != public {
				t.Errorf("%d sees %+v, %v, %v", by.ID, found, everybody, err)
			}
		}
	}
	hidden := func(who ...user.Caller) {
		t.Helper()
		for _, by := range who {
			refused(t, must.Err(b.Photos.Find(t.Context(), by, p.ID)), photo.ErrNotFound)
		}
	}
	see(true, user.Caller{}, ann, bob, eve, boss)
	must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	see(false, ann, boss)
	hidden(user.Caller{}, bob, eve)
	must.Get(b.Listings.Relist(t.Context(), ann, v.ID))(t)
	b.Buy(t, bob, v.ID)
	see(false, ann, bob, boss)
	hidden(user.Caller{}, eve)
	for size, want := range map[photo.Size]string{photo.Large: "large picture", photo.Thumb: "small picture"} {
		if data, err := b.Photos.Read(t.Context(), p, size); err != nil || string(data) != want {
			t.Errorf("size %d is %q, %v", size, data, err)
		}
	}
}

func photoGuarded(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	p := photo.New(photo.ID(b.IDs.Next()), v.Book, b.Clock.Now())
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		if err := s.Selling.AddPhoto(ctx, p); err != nil {
			return err
		}
		stored, err := s.Selling.LockPhoto(ctx, p.ID)
		if stored != p {
			t.Errorf("stored %+v, read %+v", p, stored)
		}
		_, missing := s.Selling.LockPhoto(ctx, 404)
		refused(t, missing, photo.ErrNotFound)
		shown := p
		shown.Show(photo.Pictures{Width: 800, Height: 600, Large: []byte("large"), Thumb: []byte("thumb")}, b.Clock.Now())
		refused(t, s.Selling.UpdatePhoto(ctx, shown, photo.Shown), photo.ErrNotFound)
		must.Do(t, s.Selling.UpdatePhoto(ctx, shown, photo.Pending))
		refused(t, s.Selling.UpdatePhoto(ctx, p, photo.Pending), photo.ErrNotFound)
		must.Do(t, s.Selling.DeletePhoto(ctx, p.ID)) // it is shown, so it stays
		if stored, _ = s.Selling.LockPhoto(ctx, p.ID); stored != shown {
			t.Errorf("stored %+v, read %+v", shown, stored)
		}
		return err
	}))
}

func photosMeasured(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	whole := []byte("\xff\xd8 a picture \xff\xd9")
	var all []photo.Photo
	for _, large := range [][]byte{whole, {}, nil} { // the last one has no pictures
		p := photo.New(photo.ID(b.IDs.Next()), v.Book, b.Clock.Now())
		p.State, p.Width, p.Height = photo.Shown, 1600, 1200
		must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error { return s.Selling.AddPhoto(ctx, p) }))
		all = append(all, p)
		if large != nil {
			must.Do(t, b.Blobs.PutBlob(t.Context(), p.ID.Key(photo.Large), large))
			must.Do(t, b.Blobs.PutBlob(t.Context(), p.ID.Key(photo.Thumb), whole))
		}
	}
	for range 2 {
		must.Do(t, b.PhotoSweeper.Measure(t.Context()))
	}
	for i, want := range []photo.Sum{photo.SumOf(whole), photo.Unreadable, 0} {
		found, _, err := b.Photos.Find(t.Context(), ann, all[i].ID)
		if err != nil || found.LargeSum != want {
			t.Errorf("photo %d has the sum %d, want %d: %v", i, found.LargeSum, want, err)
		}
		_, err = b.Photos.Read(t.Context(), found, photo.Large)
		if lost := errors.Is(err, photo.ErrLost); lost != (i > 0) {
			t.Errorf("photo %d: %v", i, err)
		}
	}
	if p := b.addPhoto(t, ann, v.ID); p.LargeSum == 0 || p.ThumbSum == 0 {
		t.Errorf("a new photo has no sums: %+v", p)
	}
}
