package httpx

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// The limits of uploads. All uploads together take at most maxUploads times the size of a file.
const (
	maxUploads        = 12
	maxUploadsByUser  = 3
	maxUploadsWaiting = 500

	// UploadTimeout is how long one upload may take, and UploadTurn how long it may wait before.
	UploadTimeout = 2 * time.Minute
	UploadTurn    = 20 * time.Second

	answerTimeout = 5 * time.Minute // of an upload, after UploadTimeout

	maxParts    = 64
	maxTextPart = 64 << 10
)

// The refusals of uploads.
var (
	ErrUploadsBusy = fault.New(
		fault.Unavailable, "uploads_busy", "Too many files are being sent right now. Please try again.",
	).After(5 * time.Second)
	ErrMultipart = fault.New(fault.Invalid, "invalid_form", "The form is incomplete or malformed.")
)

// Uploads limits how many files are in memory at the same time: of all people, and of each.
type Uploads struct {
	all     chan struct{}
	waiting chan struct{}

	mu     sync.Mutex
	byUser map[user.ID]*uploadsOf
}

type uploadsOf struct {
	slots chan struct{}
	refs  int
}

// NewUploads returns the limits of a process.
func NewUploads() *Uploads {
	return &Uploads{all: make(chan struct{}, maxUploads), waiting: make(chan struct{}, maxUploadsWaiting), byUser: map[user.ID]*uploadsOf{}}
}

// Begin waits for its turn, for UploadTurn at most; the caller must call done in the end.
func (u *Uploads) Begin(ctx context.Context, by user.ID) (done func(), err error) {
	select {
	case u.waiting <- struct{}{}:
		defer func() { <-u.waiting }()
	default:
		return nil, ErrUploadsBusy
	}
	turn, cancel := context.WithTimeout(ctx, UploadTurn)
	defer cancel()
	own := u.of(by)
	if !acquire(turn, own.slots) {
		u.release(by)
		return nil, busy(ctx)
	}
	if !acquire(turn, u.all) {
		<-own.slots
		u.release(by)
		return nil, busy(ctx)
	}
	return func() {
		<-u.all
		<-own.slots
		u.release(by)
	}, nil
}

func acquire(ctx context.Context, slots chan struct{}) bool {
	select {
	case slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func busy(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return ErrUploadsBusy
}

func (u *Uploads) of(by user.ID) *uploadsOf {
	u.mu.Lock()
	defer u.mu.Unlock()
	own := u.byUser[by]
	if own == nil {
		own = &uploadsOf{slots: make(chan struct{}, maxUploadsByUser)}
		u.byUser[by] = own
	}
	own.refs++
	return own
}

func (u *Uploads) release(by user.ID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.byUser[by].refs--; u.byUser[by].refs == 0 {
		delete(u.byUser, by)
	}
}

// Part is one field of a multipart form.
type Part struct {
	Name     string
	File     bool
	FileName string // as the client names it, without its folder and shortened; "" if it has none
	Data     []byte // of a file, at most one byte more than the limit
}

// ReadParts calls each for every part of a multipart form, one after the other, so that one
// file at a time is in memory. It leaves out file fields in which no file was chosen. An error
// of each ends the reading. A body of more than maxBody bytes is an *http.MaxBytesError; of a
// file, only maxFile+1 bytes are read.
func ReadParts(w http.ResponseWriter, r *http.Request, maxBody int64, maxFile int, each func(Part) error) (err error) {
	deadline := time.Now().Add(UploadTimeout)
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(deadline) // a test's recorder has none
	_ = control.SetWriteDeadline(deadline.Add(answerTimeout))
	body := r.Body
	defer func() {
		if err != nil && r.ContentLength < 0 { // many clients read the answer only after they have sent everything; see answerEarly
			_, _ = io.CopyN(io.Discard, body, maxBody)
		}
	}()
	if IsTooLong(r, maxBody) {
		return &http.MaxBytesError{Limit: maxBody}
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	parts, err := r.MultipartReader()
	if err != nil {
		return ErrMultipart
	}
	for range maxParts {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return multipartError(err)
		}
		part, err := readPart(p, maxFile)
		if err != nil {
			return multipartError(err)
		}
		if part.File && p.FileName() == "" && len(part.Data) == 0 {
			continue
		}
		if err := each(part); err != nil {
			return err
		}
	}
	return ErrMultipart
}

func readPart(p *multipart.Part, maxFile int) (Part, error) {
	_, file := p.Header["Content-Type"] // browsers send it with files, also if none is chosen
	file = file || p.FileName() != ""
	limit := maxTextPart
	if file {
		limit = maxFile
	}
	data, err := io.ReadAll(io.LimitReader(p, int64(limit)+1))
	if err == nil && !file && len(data) > maxTextPart {
		err = ErrMultipart
	}
	return Part{p.FormName(), file, shortName(p.FileName()), data}, err
}

// shortName returns the name of a file for a message.
func shortName(name string) string {
	const most = 60
	letters := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, "")))
	if len(letters) > most {
		letters = append(letters[:most-1], '…')
	}
	return string(letters)
}

func multipartError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return tooLarge
	}
	return ErrMultipart
}
