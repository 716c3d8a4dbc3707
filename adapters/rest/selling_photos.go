package rest

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/body"
	"github.com/octavo-books/octavo/adapters/rest/openapi"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/photo"
)

func (h *Handler) photoOperations() feature {
	return feature{streams: map[string]gin.HandlerFunc{"/api/books/addPhoto": h.addPhoto}}
}

const (
	// maxUpload bounds a body with a photo: the photo, and the rest of the form.
	maxUpload = photo.MaxBytes + 1<<20
	// photoTimeout is how long adding a photo may take after it has arrived.
	photoTimeout = 2 * time.Minute
)

var (
	errUploadTooLarge = newStatusError(http.StatusRequestEntityTooLarge, fault.Invalid, "body_too_large", "The body is larger than 9 MiB.")
	errNotMultipart   = newStatusError(
		http.StatusUnsupportedMediaType, fault.Invalid, "unsupported_media_type", "The body must be sent as multipart/form-data.",
	)
)

// validateUpload is validate for a multipart body, which the handler reads later: nobody may
// fill the memory with files before they have signed in. A body without a Content-Length is
// therefore refused as too large after the credential was checked, not before.
func (h *Handler) validateUpload(c *gin.Context, op *openapi.Operation) {
	media, _, _ := mime.ParseMediaType(c.GetHeader("Content-Type"))
	var err error
	switch {
	case httpx.IsTooLong(c.Request, maxUpload):
		err = errUploadTooLarge
	case c.Request.ContentLength != 0 && media != "multipart/form-data":
		err = errNotMultipart
	default:
		err = authorize(c, op.Who)
	}
	if err != nil {
		h.abortUnread(c, err)
	}
}

// addPhoto serves POST /api/books/addPhoto.
func (h *Handler) addPhoto(c *gin.Context) {
	ctx, by := c.Request.Context(), callerOf(c.Request.Context())
	done, err := h.Uploads.Begin(ctx, by.ID)
	if err != nil {
		h.abortWithError(c, err)
		return
	}
	defer done()
	id, picture, err := readPhoto(c)
	if err != nil {
		h.abortWithError(c, err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, photoTimeout)
	defer cancel()
	added, err := h.Photos.Add(ctx, by, id, picture)
	if err != nil {
		h.abortWithError(c, err)
		return
	}
	c.Header("Content-Type", "application/json")
	c.JSON(http.StatusCreated, newEnvelope(h, c, photoOf(added)))
}

// readPhoto reads the fields in any order. It names all that are missing or given twice.
func readPhoto(c *gin.Context) (id book.ID, picture []byte, err error) {
	if c.Request.ContentLength == 0 {
		return 0, nil, httpx.ErrMultipart.WithMsg("The body is empty. Send a multipart form with bookId and photo.")
	}
	seen, problems := map[string]bool{}, openapi.Problems{}
	err = httpx.ReadParts(c.Writer, c.Request, maxUpload, photo.MaxBytes, func(p httpx.Part) error {
		if seen[p.Name] && (p.Name == "bookId" || p.Name == "photo") {
			problems[p.Name] = "Must be given only once."
			return nil
		}
		switch seen[p.Name] = true; p.Name {
		case "bookId":
			id = idOf[book.ID](string(p.Data))
		case "photo":
			picture = p.Data
		}
		return nil
	})
	for _, name := range []string{"bookId", "photo"} {
		if !seen[name] {
			problems[name] = "This field is missing."
		}
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		err = errUploadTooLarge
	case err == nil && len(problems) > 0:
		refusal := *body.ErrFields
		refusal.Fields = problems
		err = &refusal
	}
	return id, picture, err
}

// RemovePhoto serves POST /api/books/removePhoto.
func (h *Handler) RemovePhoto(ctx context.Context, r restgen.RemovePhotoRequestObject) (restgen.RemovePhotoResponseObject, error) {
	err := h.Photos.Remove(ctx, callerOf(ctx), idOf[photo.ID](r.Body.PhotoId))
	return replyEmpty[restgen.RemovePhoto200JSONResponse](ctx, h, err)
}
