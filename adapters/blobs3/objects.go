package blobs3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// Objects reads and writes objects of any size below the prefix of a bucket. Its errors are for
// operators.
type Objects struct {
	calls
	cfg Config
}

// Object is an entry of a list.
type Object struct {
	Name     string // without the prefix
	Size     int64
	Modified time.Time
}

// ErrObjectNotFound means that no object has the name.
var ErrObjectNotFound = errors.New("the object does not exist")

// Some stores join the parts of a large object before they answer.
const largeObjectTimeout = 10 * time.Minute

// streamPart is the size of the parts of a stream of unknown length, of which a store accepts
// 10,000. One is in memory at a time.
const streamPart = 32 << 20

// NewObjects returns the objects of a bucket. It does not connect.
func NewObjects(c Config) (*Objects, error) {
	calls, err := connect(c, largeObjectTimeout)
	return &Objects{calls, c}, err
}

// URL names an object, for messages.
func (o *Objects) URL(name string) string {
	return "s3://" + o.cfg.Bucket + "/" + o.cfg.Prefix + name
}

// PutObject stores size bytes of r, or all of r if size is negative. Others see the object when
// it is complete. Large objects are sent in parts, and with a reader that can seek a part is
// sent again if the connection breaks. sent is called with the number of bytes of each step.
func (o *Objects) PutObject(ctx context.Context, name string, r io.Reader, size int64, sent func(bytes int)) error {
	options := minio.PutObjectOptions{ContentType: "application/octet-stream", Progress: counter(sent)}
	if size < 0 {
		options.PartSize = streamPart
	}
	_, err := o.putObject(ctx, o.cfg.Bucket, o.cfg.Prefix+name, r, size, options)
	return o.explain(ctx, err)
}

// counter is a reader that nothing is read from: minio passes it what it has sent.
type counter func(bytes int)

func (c counter) Read(b []byte) (int, error) {
	c(len(b))
	return len(b), nil
}

// OpenObject reads an object from its beginning. The error is ErrObjectNotFound if there is
// none.
func (o *Objects) OpenObject(ctx context.Context, name string) (io.ReadCloser, error) {
	body, _, _, err := o.openObject(ctx, o.cfg.Bucket, o.cfg.Prefix+name, minio.GetObjectOptions{})
	return body, o.explain(ctx, err)
}

// ListObjects returns all objects.
func (o *Objects) ListObjects(ctx context.Context) (all []Object, err error) {
	for entry := range o.listObjects(ctx, o.cfg.Bucket, minio.ListObjectsOptions{Prefix: o.cfg.Prefix, Recursive: true}) {
		if entry.Err != nil {
			return nil, o.explain(ctx, entry.Err)
		}
		all = append(all, Object{strings.TrimPrefix(entry.Key, o.cfg.Prefix), entry.Size, entry.LastModified})
	}
	return all, nil
}

// DeleteObject deletes an object, if it exists.
func (o *Objects) DeleteObject(ctx context.Context, name string) error {
	return o.explain(ctx, o.removeObject(ctx, o.cfg.Bucket, o.cfg.Prefix+name, minio.RemoveObjectOptions{}))
}

// AbortUploads discards the parts of large objects whose upload began before that time and
// never ended. No list shows them, but the store keeps them.
func (o *Objects) AbortUploads(ctx context.Context, before time.Time) error {
	for upload := range o.listUploads(ctx, o.cfg.Bucket, o.cfg.Prefix, true) {
		if upload.Err != nil {
			return o.explain(ctx, upload.Err)
		}
		if upload.Initiated.Before(before) {
			if err := o.removeUploads(ctx, o.cfg.Bucket, upload.Key); err != nil {
				return o.explain(ctx, err)
			}
		}
	}
	return ctx.Err()
}

// explain says in the operator's words what an error of the store means.
func (o *Objects) explain(ctx context.Context, err error) error {
	var unreachable *url.Error
	answer := minio.ToErrorResponse(err)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case answer.Code == minio.NoSuchKey:
		return ErrObjectNotFound
	case answer.Code == minio.NoSuchBucket:
		return fmt.Errorf("the bucket %s does not exist at %s", o.cfg.Bucket, o.cfg.Endpoint)
	case answer.StatusCode == http.StatusForbidden:
		return fmt.Errorf("%s refuses AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY for the bucket %s: %w", o.cfg.Endpoint, o.cfg.Bucket, err)
	case errors.As(err, &unreachable):
		return fmt.Errorf("cannot reach %s: %w", o.cfg.Endpoint, unreachable.Err)
	}
	return fmt.Errorf("%s: %w", o.cfg.Endpoint, err)
}
