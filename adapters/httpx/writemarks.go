package httpx

import (
	"context"
	"net/http"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// MarkWriter marks somebody who is about to write something, so that that person does not read from a
// standby until it has that.
type MarkWriter func(ctx context.Context, id user.ID, within time.Duration) error

// WriterConfig says how long after its authentication a request may write.
type WriterConfig struct {
	Timeout   time.Duration // of a request
	SlowPaths []string      // paths of uploads, whose requests take up to MaxUpload
}

// MaxUpload is how long an upload takes at most, with the answer to it.
const MaxUpload = UploadTurn + UploadTimeout + answerTimeout

// MarkWriters returns an Authenticator that marks each caller whose request may write: all but GET,
// HEAD and OPTIONS. If a caller cannot be marked, the request is refused with the error.
func MarkWriters(auth Authenticator, mark MarkWriter, cfg WriterConfig) Authenticator {
	return writers{auth, mark, cfg}
}

type writers struct {
	auth Authenticator
	mark MarkWriter
	cfg  WriterConfig
}

// Authenticate implements Authenticator.
func (w writers) Authenticate(ctx context.Context, accessToken string, from user.ClientInfo) (user.Caller, error) {
	by, err := w.auth.Authenticate(ctx, accessToken, from)
	info := requestInfo(ctx)
	if err != nil || info == nil {
		return by, err
	}
	switch info.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return by, nil
	}
	within := w.cfg.Timeout
	if under(w.cfg.SlowPaths, info.Path) {
		within = MaxUpload
	}
	if err := w.mark(ctx, by.ID, within); err != nil {
		return user.Caller{}, err
	}
	return by, nil
}
