package rest_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/test/fake"
)

// field is one field of a multipart form; a file if name is photo.
type formField struct{ name, data string }

// upload sends a multipart form.
func (w *marketFixture) upload(token string, fields ...formField) *result {
	w.t.Helper()
	body, contentType := multipartBody(w.t, fields...)
	return w.post("/api/books/addPhoto", token, io.Reader(bytes.NewReader(body)), header("Content-Type", contentType))
}

func multipartBody(t testing.TB, fields ...formField) (body []byte, contentType string) {
	t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for _, f := range fields {
		create := m.CreateFormField
		if f.name == "photo" {
			create = func(name string) (io.Writer, error) { return m.CreateFormFile(name, "IMG_1.jpg") }
		}
		part, err := create(f.name)
		if err == nil {
			_, err = io.WriteString(part, f.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), m.FormDataContentType()
}

func TestASellerAddsAndRemovesAPhotoOfABook(t *testing.T) {
	w := newMarketFixture(t)
	id := w.posted("ann")
	if photos, ok := w.get("/api/books/getBook/"+id, "").at("photos").([]any); !ok || len(photos) != 0 {
		t.Errorf("a new book has the photos %v", photos)
	}
	added := w.upload(w.as("ann"), formField{"photo", string(fake.Picture)}, formField{"bookId", id}).wantStatus(201, "")
	want := "/photos/" + added.text("id")
	if added.text("url") != want || added.text("thumbUrl") != want+"/thumb" || added.at("width") != 1600.0 || added.at("height") != 1200.0 {
		t.Errorf("added %s", added)
	}
	for _, path := range []string{"/api/books/getBook/" + id, "/api/books/getAllBooks", "/api/books/search/public/calculus"} {
		if r := w.get(path, "").wantStatus(200, ""); !strings.Contains(r.raw, `"thumbUrl":"`+want+`/thumb"`) {
			t.Errorf("%s has no photo: %s", path, r)
		}
	}
	w.refuses(refusal{"bob", "/api/books/removePhoto", object{"photoId": added.text("id")}, 403, "not_your_book", ""})
	w.post("/api/books/removePhoto", w.as("ann"), object{"photoId": added.text("id")}).wantStatus(200, "")
	for _, none := range append(noIDs, added.text("id")) {
		w.refuses(refusal{"ann", "/api/books/removePhoto", object{"photoId": none}, 404, "photo_not_found", ""})
	}
}

func TestAPhotoIsRefusedWithItsReasonInTheOrderOfTheContract(t *testing.T) {
	w := newMarketFixture(t)
	id, picture := w.posted("ann"), string(fake.Picture)
	ok := []formField{{"bookId", id}, {"photo", picture}}
	body, contentType := multipartBody(t, ok...)
	large, largeType := multipartBody(t, formField{"bookId", id}, formField{"photo", strings.Repeat("x", 9<<20)})
	send := func(token, contentType string, body []byte) *result {
		return w.post("/api/books/addPhoto", token, io.Reader(bytes.NewReader(body)), header("Content-Type", contentType))
	}
	send("", largeType, large).wantStatus(413, "body_too_large")
	send("", "application/json", []byte("{}")).wantStatus(415, "unsupported_media_type")
	send("", "image/jpeg", body).wantStatus(415, "unsupported_media_type")
	send("", contentType, body).wantStatus(401, "unauthenticated")
	unmeasured := w.post("/api/books/addPhoto", w.as("ann"), io.Reader(bytes.NewReader(large)), header("Content-Type", largeType), func(r *http.Request) { r.ContentLength = -1 })
	unmeasured.wantStatus(413, "body_too_large")
	send(w.as("ann"), contentType, body[:len(body)-20]).wantStatus(400, "invalid_form")
	send(w.as("ann"), "multipart/form-data", body).wantStatus(400, "invalid_form")
	w.post("/api/books/addPhoto", w.as("ann"), nil).wantStatus(400, "invalid_form")
	if r := w.upload(w.as("ann"), formField{"other", "x"}).wantStatus(400, "invalid_fields"); len(r.fields()) != 2 {
		t.Errorf("names %v", r.fields())
	}
	if r := w.upload(w.as("ann"), append(ok, ok[1])...).wantStatus(400, "invalid_fields"); r.fields()["photo"] == "" {
		t.Errorf("names %v", r.fields())
	}
	for data, why := range map[string]string{"GIF89a": "JPEG, PNG or WebP", strings.Repeat("x", photo.MaxBytes+1): "larger than 8 MiB", "": "Choose a picture"} {
		if r := w.upload(w.as("ann"), formField{"bookId", "404"}, formField{"photo", data}).wantStatus(400, "photo_invalid"); !strings.Contains(r.text("error"), why) || r.fields()["photo"] == "" {
			t.Errorf("refused as %s", r)
		}
	}
	w.upload(w.as("ann"), formField{"bookId", "404"}, ok[1]).wantStatus(404, "book_not_found")
	w.upload(w.as("bob"), ok...).wantStatus(403, "not_your_book")
	for range photo.MaxPerBook {
		w.upload(w.as("ann"), ok...).wantStatus(201, "")
	}
	w.upload(w.as("ann"), ok...).wantStatus(409, "too_many_photos")
}
