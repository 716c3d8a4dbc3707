package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io/fs"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// aPicture is a JPEG such as a phone makes.
func aPicture(t *testing.T) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 500, 300))
	for i := range m.Pix {
		m.Pix[i] = byte(i * i >> 7)
	}
	m.Set(0, 0, color.White)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type bookPhoto struct {
	ID, URL, ThumbURL string
	Width, Height     int
}

// addPhoto uploads a photo of a book.
func addPhoto(c e2e.Client, book string, picture []byte) (status int, p bookPhoto, err error) {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	part, err := m.CreateFormFile("photo", "IMG_1.jpg")
	if err == nil {
		_, err = part.Write(picture)
	}
	if err := errors.Join(err, m.WriteField("bookId", book), m.Close()); err != nil {
		return 0, p, err
	}
	r, err := http.NewRequest(http.MethodPost, c.URL+"/api/books/addPhoto", &b)
	if err != nil {
		return 0, p, err
	}
	r.Header.Set("Content-Type", m.FormDataContentType())
	r.Header.Set("Authorization", "Bearer "+c.Token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, p, err
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct{ Data json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return 0, p, err
	}
	if resp.StatusCode != http.StatusCreated {
		return resp.StatusCode, p, fmt.Errorf("%d %s", resp.StatusCode, answer.Data)
	}
	return resp.StatusCode, p, json.Unmarshal(answer.Data, &p)
}

func fetch(t *testing.T, url string) (status int, body []byte) {
	t.Helper()
	r, text := exchange(t, "GET", url, "")
	return r.StatusCode, []byte(text)
}

func photosOf(t *testing.T, c e2e.Client, book string) (all []bookPhoto) {
	t.Helper()
	var b struct{ Photos []bookPhoto }
	c.Must(t, http.StatusOK, "GET", "/api/books/getBook/"+book, nil).Data(t, &b)
	return b.Photos
}

func TestAcknowledgedPhotosSurviveACrashAndAreInABackup(t *testing.T) {
	t.Parallel()
	s, picture := e2e.Start(t), aPicture(t)
	seller := s.Student("photos@mit.edu", "Pia")
	acknowledged := map[string][]bookPhoto{}
	for range 2 {
		acknowledgeUntilKilled(t, s, seller, picture, acknowledged)
		s.Restart()
	}
	shown := 0
	for book, photos := range acknowledged {
		listed := photosOf(t, seller, book)
		for _, p := range photos {
			if !strings.Contains(fmt.Sprint(listed), p.ID) {
				t.Errorf("the photo %s of %s is lost: %v", p.ID, book, listed)
			}
		}
		for _, p := range listed {
			shown++
			for _, path := range []string{p.URL, p.ThumbURL} {
				status, data := fetch(t, s.URL+path)
				if c, err := jpeg.DecodeConfig(bytes.NewReader(data)); status != http.StatusOK || err != nil || path == p.URL && (c.Width != p.Width || c.Height != p.Height || c.Width != 500) {
					t.Errorf("%s: %d, %+v, %v", path, status, c, err)
				}
			}
		}
	}
	folder := filepath.Join(servers.Dir(t), "backup")
	if out, code := s.Octavo("backup", folder); code != 0 {
		if strings.Contains(out, "Postgres") {
			return // the replicas' photos are backed up with their folder
		}
		t.Fatalf("backup: %d %s", code, out)
	}
	pictures := 0
	if err := filepath.WalkDir(filepath.Join(folder, "photos"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".jpg" {
			pictures++
		}
		return err
	}); err != nil || pictures < 2*shown || shown == 0 {
		t.Errorf("the backup has %d pictures of %d photos: %v", pictures, shown, err)
	}
}

// acknowledgeUntilKilled adds photos to books from several sides until the program is killed.
func acknowledgeUntilKilled(t *testing.T, s *e2e.Server, seller e2e.Client, picture []byte, acknowledged map[string][]bookPhoto) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	enough := make(chan struct{}, 100)
	for worker := range 3 {
		book := seller.Post(t, fmt.Sprintf("Photo %d", worker), "ART 101")
		all.Go(func() {
			for {
				status, p, err := addPhoto(seller, book, picture)
				if status == http.StatusConflict { // it has five
					return
				}
				if err != nil {
					return
				}
				mu.Lock()
				acknowledged[book] = append(acknowledged[book], p)
				mu.Unlock()
				enough <- struct{}{}
			}
		})
	}
	for range 4 {
		select {
		case <-enough:
		case <-time.After(poll.Limit):
			t.Fatal("no photo was added")
		}
	}
	s.Kill()
	all.Wait()
}

func TestPhotosAreKeptInABucketAndTheRestWorksWithoutIt(t *testing.T) {
	t.Parallel()
	bucket := servers.S3(t)
	s := e2e.StartWith(t, []string{"BLOB_URL=" + bucket.URL(""), "AWS_ACCESS_KEY_ID=" + servers.S3AccessKeyID, "AWS_SECRET_ACCESS_KEY=" + servers.S3SecretAccessKey})
	seller := s.Student("bucket@mit.edu", "Bo")
	book := seller.Post(t, "Photography", "ART 102")
	_, p, err := addPhoto(seller, book, aPicture(t))
	if err != nil {
		t.Fatal(err)
	}
	if status, data := fetch(t, s.URL+p.ThumbURL); status != http.StatusOK || !bytes.HasPrefix(data, []byte{0xff, 0xd8}) {
		t.Errorf("%d, %d bytes", status, len(data))
	}
	bucket.Kill()
	if status, _, err := addPhoto(seller, book, aPicture(t)); status != http.StatusServiceUnavailable {
		t.Errorf("a photo without the bucket: %d %v, want %d", status, err, http.StatusServiceUnavailable)
	}
	if status, _ := fetch(t, s.URL+p.ThumbURL); status != http.StatusServiceUnavailable {
		t.Errorf("a picture without the bucket: %d, want %d", status, http.StatusServiceUnavailable)
	}
	if photos := photosOf(t, seller, book); len(photos) != 1 {
		t.Errorf("the book has %v", photos)
	}
	if status, body := fetch(t, s.URL+"/readyz"); status != http.StatusOK || !strings.Contains(string(body), "degraded") {
		t.Errorf("ready: %d %s", status, body)
	}
	bucket.Start(t)
	if status, _ := fetch(t, s.URL+p.URL); status != http.StatusOK {
		t.Errorf("with the bucket again: %d, want %d", status, http.StatusOK)
	}
}

func TestLostPhotosAreNoticedByPagesDoctorAndBackup(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	s := e2e.StartWith(t, []string{issuer}, "auth", "market")
	seller := s.Student("lost@mit.edu", "Lo")
	book := seller.Post(t, "Photography", "ART 102")
	_, photo, err := addPhoto(seller, book, aPicture(t))
	if err != nil {
		t.Fatal(err)
	}
	mailsShowCover(t, s, book)
	deepCheck(t, s, 0, "the pictures of 1 photos are what was stored")
	backUpPhotos(t, s, 0)
	folder := filepath.Join(s.DataDir, "photos")
	away := folder + "-away"
	if err := os.Rename(folder, away); err != nil {
		t.Fatal(err)
	}
	showsPhoto(t, s.URL+photo.URL, 503)
	awaitReadiness(t, s.URL, http.StatusOK, `"photos":"degraded"`) // the last probe counts for a second
	deepCheck(t, s, 1, "their folder is missing or empty")
	backUpPhotos(t, s, 1)
	if err := os.Rename(away, folder); err != nil {
		t.Fatal(err)
	}
	showsPhoto(t, s.URL+photo.URL, 200)
	emptyPictures(t, folder)
	showsPhoto(t, s.URL+photo.URL, 503)
	deepCheck(t, s, 1, "2 pictures of 1 photos are not what was stored")
	backUpPhotos(t, s, 1)
}

// mailsShowCover sends a message about a book of lost@mit.edu, whose mail shows the photo.
func mailsShowCover(t *testing.T, s *e2e.Server, book string) {
	t.Helper()
	s.Student("asks@mit.edu", "Ask").Must(t, 201, "POST", "/api/user/sendMessage", map[string]any{"bookId": book, "text": "Is it clean?"})
	const picture = `<img src="data:image/jpeg;base64,`
	m := s.Mail("lost@mit.edu", "message_received")
	_, page := fetch(t, s.URL+"/dev/mail.html?id="+m.ID)
	if !strings.Contains(m.HTML, picture) || !strings.Contains(string(page), picture) || len(m.HTML) > 50_000 {
		t.Errorf("the mail is %d bytes: %.2000s", len(m.HTML), m.HTML)
	}
}

// deepCheck runs the doctor, which ends with a code and says a text.
func deepCheck(t *testing.T, s *e2e.Server, want int, text string) {
	t.Helper()
	if out, code := s.Octavo("doctor", "--deep", "auth", "market"); code != want || !strings.Contains(out, text) {
		t.Errorf("the doctor: %d, want %d with %q: %s", code, want, text, out)
	}
}

// backUpPhotos makes a backup, which has the database though the command ends with 1 if photos are lost.
func backUpPhotos(t *testing.T, s *e2e.Server, want int) {
	t.Helper()
	folder := filepath.Join(servers.Dir(t), "copy", "of")
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		t.Fatal(err)
	}
	out, code := s.Octavo("backup", folder)
	if code != want || strings.Contains(out, "missing or are not what was stored") != (want == 1) {
		t.Errorf("backup: %d, want %d: %s", code, want, out)
	}
	if _, err := os.Stat(filepath.Join(folder, "octavo.db")); err != nil {
		t.Errorf("the rest is not in the backup: %v", err)
	}
}

// showsPhoto requires a status of a photo, which no cache keeps if it cannot be shown.
func showsPhoto(t *testing.T, url string, want int) {
	t.Helper()
	resp, _ := exchange(t, "GET", url, "")
	if resp.StatusCode != want || want != 200 && resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the photo: %d %v, want %d", resp.StatusCode, resp.Header, want)
	}
}

// emptyPictures leaves files without content.
func emptyPictures(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".jpg" {
			err = os.Truncate(path, 0)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
