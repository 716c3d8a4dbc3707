package web_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/test/fake"
)

// sendFiles sends the form with photos of a book, as browsers do.
func (v *visit) sendFiles(id string, pictures ...string) page {
	v.t.Helper()
	return v.arrives("/book/photos", fmt.Sprintf("POST /book/photos with %d photos of book %s", len(pictures), id), v.upload("/book/photos", func(form *multipart.Writer) error {
		err := form.WriteField("id", id)
		for i, picture := range pictures {
			name := fmt.Sprintf("IMG_%d.jpg", i+1)
			if picture == "" {
				name = "" // no file was chosen
			}
			err = errors.Join(err, file(form, "photo", name, picture))
		}
		return err
	}))
}

var photoPaths = regexp.MustCompile(`/photos/\d+/thumb`)

func TestASellerAddsAndRemovesPhotosOnAPage(t *testing.T) {
	c := newCampus(t)
	ann := c.student("ann")
	id := ann.offers("Calculus", "40")
	ann.open("/book?id="+id).shows(200, "Add photos")
	ann.open("/book/photos?id="+id).shows(200, "Take a photo", "You can add 5 more photos.")
	p := ann.sendFiles(id, "", string(fake.Picture), string(fake.Picture)).shows(200, "The photos are added.", "You can add 3 more photos.")
	thumbs := photoPaths.FindAllString(p.body, -1)
	if len(thumbs) != 2 {
		t.Fatalf("the page shows %v", thumbs)
	}
	ann.sendFiles(id, "no picture").shows(400, "must be a JPEG, PNG or WebP", "You can add 3 more photos.")
	ann.sendFiles(id, "").shows(400, "Choose a picture.")
	ann.sendFiles(id, string(fake.Picture), string(fake.Picture), string(fake.Picture), string(fake.Picture)).shows(409, "at most 5 photos")
	first := strings.Split(thumbs[0], "/")[2]
	ann.send("/book/photos/remove", "id", first, "back", id).shows(200, "The photo was removed.", "You can add 1 more photo.")
	c.visitor().open("/book?id="+id).shows(200, thumbs[1], "Photo 4")
	c.student("bob").open("/book/photos?id=" + id).shows(403)
	c.student("bob").sendFiles(id, string(fake.Picture)).shows(403)
	c.visitor().sendFiles(id, string(fake.Picture)).shows(200, "Sign in")
}

func TestASellerTurnsPhotosAndChoosesTheCover(t *testing.T) {
	c := newCampus(t)
	ann := c.student("ann")
	id := ann.offers("Calculus", "40")
	shown := func(p page) (ids []string) {
		for _, path := range photoPaths.FindAllString(p.shows(200, "Cover<").body, -1) {
			ids = append(ids, strings.Split(path, "/")[2])
		}
		return ids
	}
	was := shown(ann.sendFiles(id, string(fake.Picture), string(fake.Picture), string(fake.Picture)))
	send := func(to string, values ...string) []string {
		return shown(ann.send("/book/photos/"+to, append(values, "back", id)...))
	}
	if now := send("move", "id", was[2]); !slices.Equal(now, []string{was[0], was[2], was[1]}) {
		t.Errorf("one is earlier: %v, was %v", now, was)
	}
	if now := send("move", "id", was[1], "to", "first"); !slices.Equal(now, []string{was[1], was[0], was[2]}) {
		t.Errorf("one is the cover: %v, was %v", now, was)
	}
	for range 2 { // a second press of the button
		if now := send("turn", "id", was[0]); now[0] != was[1] || now[1] == was[0] || now[2] != was[2] {
			t.Errorf("one is turned: %v, was %v", now, was)
		}
	}
	ann.send("/book/photos/move", "id", "404", "back", id).shows(200)
	c.student("bob").send("/book/photos/move", "id", was[2], "back", id).shows(403)
	c.student("eve").send("/book/photos/turn", "id", was[2], "back", id).shows(403)
}

func TestOfSeveralPhotosTheBadOnesAreNamedAndTheGoodOnesKept(t *testing.T) {
	c := newCampus(t)
	ann := c.student("ann")
	id := ann.offers("Calculus", "40")
	good := string(fake.Picture)
	p := ann.sendFiles(id, "no picture", good, "nor this", good).shows(400, "IMG_1.jpg was not added. The picture must be a JPEG, PNG or WebP.", "IMG_3.jpg was not added.", "2 other photos were added.", "You can add 3 more photos.")
	if strings.Contains(p.body, "IMG_2.jpg") || len(photoPaths.FindAllString(p.body, -1)) != 2 {
		t.Errorf("the page is %s", p.body)
	}
	p = ann.sendFiles(id, good, good, good, good).shows(409, "IMG_4.jpg was not added. A book can have at most 5 photos.", "3 other photos were added.")
	if n := len(photoPaths.FindAllString(p.body, -1)); n != 5 {
		t.Errorf("the book has %d photos", n)
	}
}

func TestAnEmptiedPhotoIsNotShownAndNotCached(t *testing.T) {
	c := newCampus(t)
	ann := c.student("ann")
	id := ann.offers("Calculus", "40")
	thumb := photoPaths.FindString(ann.sendFiles(id, string(fake.Picture)).body)
	n, err := strconv.ParseInt(strings.Split(thumb, "/")[2], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	key := photo.ID(n).Key(photo.Thumb)
	for _, lose := range []func() error{
		func() error { return c.blobs.PutBlob(t.Context(), key, nil) }, func() error { return c.blobs.DeleteBlob(t.Context(), key) },
	} {
		if err := lose(); err != nil {
			t.Fatal(err)
		}
		for _, who := range []*visit{ann, c.visitor()} {
			p := who.open(thumb).shows(503)
			if p.header.Get("Cache-Control") != "no-store" || p.header.Get("ETag") != "" || p.header.Get("Retry-After") == "" {
				t.Errorf("it may be cached: %v", p.header)
			}
		}
	}
	if !strings.Contains(c.log.String(), "a photo is lost") || !strings.Contains(c.log.String(), key) {
		t.Errorf("the log is %s", c.log.String())
	}
	ann.open(strings.TrimSuffix(thumb, "/thumb")).shows(200, "large picture")
}

func TestAPhotoIsCachedForEverAndHiddenWithItsBook(t *testing.T) {
	c := newCampus(t)
	ann := c.student("ann")
	id := ann.offers("Calculus", "40")
	thumb := photoPaths.FindString(ann.sendFiles(id, string(fake.Picture)).body)
	public := c.visitor().open(thumb).shows(200, "small picture")
	for name, want := range map[string]string{"Content-Type": "image/jpeg", "Cache-Control": "public, max-age=31536000, s-maxage=60, immutable", "X-Content-Type-Options": "nosniff"} {
		if got := public.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	c.visitor().open(strings.TrimSuffix(thumb, "/thumb")).shows(200, "large picture")
	cover := "/covers/" + id
	for _, path := range []string{thumb, cover} {
		etag := c.visitor().open(path).shows(200).header.Get("ETag")
		for _, known := range []string{etag, "W/" + etag, `"other", ` + etag, "*"} { // proxies that compress weaken tags
			if again := c.visitor().request(http.MethodGet, path, nil, "If-None-Match", known); again.status != 304 || again.body != "" {
				t.Errorf("%s, known as %s: %d %q", path, known, again.status, again.body)
			}
		}
	}
	if got := ann.open(thumb).shows(200).header.Get("Cache-Control"); got != "private, max-age=31536000, immutable" {
		t.Errorf("one with a credential may be cached as %q, want \"private, max-age=31536000, immutable\"", got)
	}
	ann.send("/mine/unlist", "id", id)
	ann.open(thumb).shows(200)
	if hidden := c.visitor().open(thumb).shows(404); hidden.header.Get("Cache-Control") != "no-store" {
		t.Errorf("a hidden photo may be cached as %q, want \"no-store\"", hidden.header.Get("Cache-Control"))
	}
	if again := c.visitor().request(http.MethodGet, thumb, nil, "If-None-Match", public.header.Get("ETag")); again.status != 404 {
		t.Errorf("a hidden photo is answered with %d, want 404", again.status)
	}
	c.visitor().open("/photos/x").shows(404)
	c.visitor().open("/photos/404/thumb").shows(404)
}

func TestABookWithoutPhotosHasADrawnCoverThatIsSafeWithAnyTitle(t *testing.T) {
	c := newCampus(t)
	ann := c.student("ann")
	for _, title := range []string{"Calculus", `</text><script>alert("1")</script>&amp;`, strings.Repeat("Donaudampfschifffahrtsgesellschaft ", 7) + "x", "الجبر والمقابلة", "書 物 語 " + strings.Repeat("x", 280)} {
		path := ann.coverOf(ann.offers(title, "40"))
		p := c.visitor().open(path).shows(200)
		if p.header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(p.header.Get("Cache-Control"), "immutable") || !strings.Contains(p.header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%q: %v", title, p.header)
		}
		elements := 0
		for d := xml.NewDecoder(strings.NewReader(p.body)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v: %s", title, err, p.body)
			}
			if start, ok := token.(xml.StartElement); ok {
				if elements++; !slices.Contains([]string{"svg", "g", "rect", "circle", "path", "text"}, start.Name.Local) {
					t.Errorf("%q draws a %s", title, start.Name.Local)
				}
			}
		}
		if elements < 4 || len(p.body) > 8<<10 {
			t.Errorf("%q: %d elements, %d bytes", title, elements, len(p.body))
		}
		if old := c.visitor().open(path[:strings.LastIndex(path, "/")] + "/0").shows(200); strings.Contains(old.header.Get("Cache-Control"), "immutable") {
			t.Errorf("%q: a cover of another version may be cached for ever", title)
		}
	}
	hidden := ann.offers("Algebra", "40")
	path := ann.coverOf(hidden)
	ann.send("/mine/unlist", "id", hidden)
	c.visitor().open(path).shows(404)
}

var coverLink = regexp.MustCompile(`/covers/\d+/[0-9a-f]+`)

// coverOf returns the path of the drawn cover of a book.
func (v *visit) coverOf(id string) string {
	v.t.Helper()
	path := coverLink.FindString(v.open("/book?id=" + id).shows(200).body)
	if path == "" {
		v.t.Fatal("the book has no cover")
	}
	return path
}
