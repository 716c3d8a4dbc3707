package contract

import (
	"slices"
	"testing"

	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// coversMailed checks which pictures mails about books can show.
func coversMailed(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	bare, v := b.Post(t, ann, Draft("Physics", "PHY 121", 1000)), b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	first := b.addPhoto(t, ann, v.ID)
	b.addPhoto(t, ann, v.ID)
	shows := func(when, want string) {
		t.Helper()
		covers, err := b.Photos.ReadCovers(t.Context(), v.ID, bare.ID, 404)
		if err != nil || len(covers) > 1 || string(covers[v.ID]) != want {
			t.Errorf("%s: %q, %v; want %q", when, covers, err, want)
		}
	}
	shows("for sale", "small picture")
	must.Do(t, b.Blobs.PutBlob(t.Context(), first.ID.Key(photo.Thumb), []byte("not what was stored")))
	covers, err := b.Photos.ReadCovers(t.Context(), v.ID)
	must.Refuse(t, err, photo.ErrLost, "a picture that is lost")
	if len(covers) != 0 {
		t.Errorf("lost: %q", covers)
	}
	must.Do(t, b.Photos.Remove(t.Context(), ann, first.ID))
	shows("the first removed", "small picture")
	must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	shows("unlisted", "")
	must.Get(b.Listings.Relist(t.Context(), ann, v.ID))(t)
	dean := b.Join(t, "dean", user.Admin)
	id := b.report(t, bob, []report.Target{{Kind: report.Book, ID: int64(v.ID)}})
	must.Get(b.Moderation.Resolve(t.Context(), dean, id, report.Unlist, "Not allowed."))(t)
	shows("taken off sale by an admin", "")
	sold := b.Post(t, ann, Draft("Topology", "MTH 240", 1000))
	b.addPhoto(t, ann, sold.ID)
	b.Buy(t, bob, sold.ID)
	if covers := must.Get(b.Photos.ReadCovers(t.Context(), sold.ID))(t); string(covers[sold.ID]) != "small picture" {
		t.Errorf("sold: %q", covers)
	}
}

// coversNamed checks that mails about one book name it, and others do not.
func coversNamed(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	wants := func(name string, kind message.Kind, n int, want string) {
		t.Helper()
		all := b.mailsOf(t, name, kind)
		if len(all) != n || all[n-1].Params[message.ParamPicture] != want {
			t.Errorf("%s to %s: %+v, want %d, the last with the picture of %q", kind, name, all, n, want)
		}
	}
	b.Request(t, bob, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	one := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	wants("bob", message.MatchFound, 1, one.ID.String())
	b.Say(t, bob, talking.Addressee{Book: one.ID}, "Is it clean?")
	wants("ann", message.MessageReceived, 1, one.ID.String())
	b.Buy(t, bob, one.ID)
	wants("ann", message.BookSold, 1, one.ID.String())
	wants("bob", message.PurchasePlaced, 1, one.ID.String())
	two, three := b.Post(t, ann, Draft("Physics", "PHY 121", 1000)), b.Post(t, ann, Draft("Topology", "MTH 240", 1000))
	b.Buy(t, bob, two.ID, three.ID)
	wants("ann", message.BookSold, 2, "")
}

// photosTurnedInPlace checks that a turned photo does not become the cover, nor the cover another one.
func photosTurnedInPlace(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	one, two, three := b.addPhoto(t, ann, v.ID).ID, b.addPhoto(t, ann, v.ID).ID, b.addPhoto(t, ann, v.ID).ID
	shows := func(want ...photo.ID) {
		t.Helper()
		var got []photo.ID
		for _, p := range must.Get(b.Catalogue.Get(t.Context(), ann, v.ID))(t).Photos {
			got = append(got, p.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the photos are %v, want %v", got, want)
		}
	}
	middle := must.Get(b.Photos.Turn(t.Context(), ann, two))(t).ID
	shows(one, middle, three)
	cover := must.Get(b.Photos.Turn(t.Context(), ann, one))(t).ID
	shows(cover, middle, three)
	shows(cover, middle, three, b.addPhoto(t, ann, v.ID).ID)
}
