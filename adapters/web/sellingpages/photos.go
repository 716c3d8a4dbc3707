package sellingpages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// photoPages shows and changes the pictures of books. The files do not renew an expired sign-in, which many
// pictures of one page would all do at once.
func (p *Pages) photoPages() web.Feature {
	return web.Feature{
		Crawled: []string{"/photos/", "/covers/"},
		Routes: []*web.Route{
			web.File("/photos/:id", web.Anonymous(p.servePhoto)), web.File("/photos/:id/thumb", web.Anonymous(p.servePhoto)), web.File("/covers/:id/:version", web.Anonymous(p.serveCover)),
			web.File("/covers/:id", web.Anonymous(p.servePicture)),
			web.Get(photosPath, p.ForStudents(p.showPhotos)).With("id={own}"), web.Post(photosPath, p.ForStudentUploads(p.addPhotos)).WithoutTimeout(),
			web.Post(photosPath+"/remove", p.ForStudents(p.removePhoto)),
			web.Post(photosPath+"/move", p.ForStudents(p.movePhoto)), web.Post(photosPath+"/turn", p.ForStudents(p.turnPhoto)).WithoutTimeout(),
			web.Get(cropPath, p.ForStudents(p.showCrop)).With("id={own}"), web.Post(cropPath, p.ForStudents(p.cropPhoto)).WithoutTimeout(),
		},
		Flashes: map[string]string{
			"photos":     "The photos are added.",
			"nophoto":    "The photo was removed.",
			"cover":      "The first photo is the cover.",
			"cropped":    "The photo is cropped.",
			"otherphoto": "The photo has been changed or removed meanwhile.",
		},
	}
}

const (
	photosPath = "/book/photos"
	cropPath   = photosPath + "/crop"
)

const (
	publicPicture  = "public, max-age=31536000, s-maxage=60, immutable"
	privatePicture = "private, max-age=31536000, immutable"
)

// servePhoto serves GET /photos/:id and /photos/:id/thumb. The pictures never change; a CDN
// asks again after a minute, because the book may be sold.
func (p *Pages) servePhoto(w http.ResponseWriter, r *http.Request) {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	size := photo.Large
	if len(path) == 3 {
		size = photo.Thumb
	}
	by, _ := httpx.CallerFrom(r.Context()) // a bad credential sees what everybody may see
	found, public, err := p.Market.Photos.Find(r.Context(), by, web.IDOf[photo.ID](path[1]))
	if err != nil {
		p.refusePicture(w, r, err)
		return
	}
	etag := photoTag(found, size)
	if httpx.IsCurrent(r, etag) {
		p.setPictureHeader(w, r, public, etag, market.PhotoKeys(found))
		w.WriteHeader(http.StatusNotModified)
		return
	}
	data, err := p.Market.Photos.Read(r.Context(), found, size)
	if err != nil {
		p.refusePicture(w, r, err)
		return
	}
	p.setPictureHeader(w, r, public, etag, market.PhotoKeys(found))
	w.Header().Set("Content-Type", "image/jpeg")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = w.Write(data) //nolint:gosec // a JPEG that we have encoded, sent as such and with nosniff
}

// photoTag is the entity tag of one of the pictures of a photo.
func photoTag(of photo.Photo, s photo.Size) string {
	return fmt.Sprintf(`"%s-%x"`, of.ID.Key(s), int64(of.SumOf(s)))
}

// setPictureHeader sets how a picture may be cached. It must not vary with the credential: the
// picture is the same for all who may see it, and an answer to one with a credential is for
// its browser alone.
func (p *Pages) setPictureHeader(w http.ResponseWriter, r *http.Request, public bool, etag string, keys []market.SurrogateKey) {
	caching := privatePicture
	if public && !hasCredential(r) {
		caching = publicPicture
		httpx.SetKeys(w.Header(), p.Keys, keys)
	}
	w.Header().Set("Cache-Control", caching)
	w.Header().Set("ETag", etag)
}

// hasCredential reports whether the request came with a credential, good or bad.
func hasCredential(r *http.Request) bool {
	by, err := httpx.CallerFrom(r.Context())
	return err != nil || by.SignedIn() || httpx.HasCookieCredential(r.Context())
}

// refusePicture answers a request for a picture with a plain text: nobody sees it in a page.
func (p *Pages) refusePicture(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, photo.ErrLost) {
		p.Log.WarnContext(r.Context(), "a photo is lost", "path", r.URL.Path, "error", err)
	}
	p.LogFailure(r, r.URL.Path, err)
	httpx.SetRetryAfter(w.Header(), err)
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, httpx.PublicMessage(err), httpx.Status(err))
}

// photosView is the page on which a seller adds and removes the photos of a book.
type photosView struct {
	market.BookView
	Errors []string
	Added  int    // how many of those that were sent with the refused ones
	Left   int    // how many more there may be
	Share  string // the address of the book's page; "" while nobody else sees it
}

// refusedPhoto is a photo that was not added.
type refusedPhoto struct {
	name string // of its file; "" if there is none
	why  error
}

// show says which photo was not added, and why.
func (f refusedPhoto) show(lang user.Lang) string {
	why := web.Translate(lang, httpx.PublicMessage(f.why))
	if f.name == "" {
		return why
	}
	return web.Translate(lang, "%s was not added.", f.name) + " " + why
}

// showPhotos serves GET /book/photos?id=.
func (p *Pages) showPhotos(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	if !r.URL.Query().Has("id") { // after signing in again
		http.Redirect(w, r, "/mine", http.StatusSeeOther)
		return nil
	}
	return p.renderPhotos(w, r, by, web.IDOf[book.ID](r.URL.Query().Get("id")), 0, nil)
}

// renderPhotos renders the page, with the photos that were refused and the number of those that
// were added with them.
func (p *Pages) renderPhotos(w http.ResponseWriter, r *http.Request, by user.Caller, id book.ID, added int, refused []refusedPhoto) error {
	b, err := p.editable(r.Context(), by, id)
	if err != nil {
		return err
	}
	lang, status, v := web.LangOf(r), http.StatusOK, photosView{BookView: b, Left: photo.MaxPerBook - len(b.Photos), Added: added}
	if b.Status == book.ForSale && p.BaseURL != "" {
		v.Share = p.BaseURL + "/book?id=" + b.ID.String()
	}
	for i, f := range refused {
		v.Errors = append(v.Errors, f.show(lang))
		if i == 0 {
			status = httpx.Status(f.why)
			httpx.SetRetryAfter(w.Header(), f.why)
		}
	}
	p.Render(w, r, status, "bookphotos", web.PageData{Lang: lang, Title: web.Translate(lang, "Photos of %s", b.Name), Page: v})
	return nil
}

// addPhotoTimeout is how long adding one photo may take after it has arrived.
const addPhotoTimeout = 2 * time.Minute

// addPhotos serves POST /book/photos. It adds each photo as it arrives and says which were
// refused: the others stay.
func (p *Pages) addPhotos(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	done, err := p.Market.Uploads.Begin(r.Context(), by.ID)
	if err != nil {
		return err
	}
	defer done()
	var id book.ID
	added, refused := 0, []refusedPhoto(nil)
	err = httpx.ReadParts(w, r, web.MaxPhotoForm, photo.MaxBytes, func(part httpx.Part) error {
		switch part.Name {
		case "id":
			id = web.IDOf[book.ID](string(part.Data))
		case "photo":
			err := p.addPhoto(r, by, id, part.Data)
			if err != nil && !mayRetryPhoto(err) {
				return err
			}
			if err == nil {
				added++
			} else {
				refused = append(refused, refusedPhoto{part.FileName, err})
			}
		}
		return nil
	})
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		refused = append(refused, refusedPhoto{"", fmt.Errorf("%w (%w)", photo.ErrTooLarge, tooLarge)})
	case err != nil && mayRetryPhoto(err):
		refused = append(refused, refusedPhoto{"", err})
	case err != nil:
		return err
	case added == 0 && len(refused) == 0:
		refused = append(refused, refusedPhoto{"", photo.ErrEmpty})
	case len(refused) == 0:
		flash := "photos"
		if r.Header.Get(httpx.Follows) != "" { // sent with a book that was just listed, which the next page says
			flash = ""
		}
		return p.Redirect(w, r, photosPath+"?id="+id.String(), flash)
	}
	return p.renderPhotos(w, r, by, id, added, refused)
}

func (p *Pages) addPhoto(r *http.Request, by user.Caller, id book.ID, data []byte) error {
	ctx, cancel := context.WithTimeout(r.Context(), addPhotoTimeout)
	defer cancel()
	_, err := p.Market.Photos.Add(ctx, by, id, data)
	return err
}

// mayRetryPhoto reports whether the page shows a refusal, because another photo may do or the
// same one later.
func mayRetryPhoto(err error) bool {
	kind := fault.KindOf(err)
	return (kind == fault.Invalid || kind == fault.Conflict || kind == fault.Unavailable) && !errors.Is(err, book.ErrNotEditable)
}

// removePhoto serves POST /book/photos/remove.
func (p *Pages) removePhoto(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Market.Photos.Remove(r.Context(), by, web.IDOf[photo.ID](r.PostForm.Get("id")))
	return p.Done(w, r, err, photosPath+"?id="+web.IDOf[book.ID](r.PostForm.Get("back")).String(), "nophoto")
}
