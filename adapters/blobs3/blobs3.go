// Package blobs3 keeps pictures, and objects of any size, in a bucket of an S3-compatible store.
package blobs3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/fault"
)

// Config says which bucket.
type Config struct {
	Endpoint string // host and port
	Insecure bool   // HTTP instead of HTTPS
	Region   string
	Bucket   string
	Prefix   string // of all keys: "" or a folder with a slash at its end

	AccessKeyID, SecretAccessKey string
}

const (
	defaultEndpoint = "s3.amazonaws.com"
	defaultRegion   = "us-east-1"
)

// ParseURL reads s3://bucket/prefix?endpoint=…&region=…. The endpoint is a host, or an address
// with http:// or https://; without one it is that of AWS.
func ParseURL(text string) (Config, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return Config{}, errors.New("must be like s3://bucket?endpoint=https://storage.example.edu&region=us-east-1")
	}
	c := Config{Endpoint: defaultEndpoint, Region: defaultRegion, Bucket: u.Host, Prefix: strings.Trim(u.Path, "/")}
	if c.Prefix != "" {
		c.Prefix += "/"
	}
	for name, values := range u.Query() {
		switch name {
		case "endpoint":
			err = c.setEndpoint(values[0])
		case "region":
			c.Region = values[0]
		default:
			err = fmt.Errorf("does not take %q: only endpoint and region", name)
		}
		if err != nil {
			return Config{}, err
		}
	}
	return c, nil
}

func (c *Config) setEndpoint(text string) error {
	host, found := strings.CutPrefix(text, "http://")
	c.Insecure = found
	host = strings.TrimSuffix(strings.TrimPrefix(host, "https://"), "/")
	if u, err := url.Parse("//" + host); err != nil || u.Host != host || host == "" {
		return fmt.Errorf("has the endpoint %q, which is no host such as storage.example.edu:9000", text)
	}
	c.Endpoint = host
	return nil
}

// Store implements selling.BlobStore.
type Store struct {
	calls
	cfg Config
}

// calls are the methods of the library's client that are called here. The client itself is nowhere
// a field: the linker keeps all exported methods of a type that reflection may find, and those for
// policies, replication and life cycles take 1 MB.
type calls struct {
	bucketExists func(ctx context.Context, bucket string) (bool, error)
	putObject    func(ctx context.Context, bucket, key string, r io.Reader, size int64, o minio.PutObjectOptions) (minio.UploadInfo, error)
	openObject   func(
		ctx context.Context, bucket, key string, o minio.GetObjectOptions,
	) (io.ReadCloser, minio.ObjectInfo, http.Header, error)
	removeObject  func(ctx context.Context, bucket, key string, o minio.RemoveObjectOptions) error
	listObjects   func(ctx context.Context, bucket string, o minio.ListObjectsOptions) iter.Seq[minio.ObjectInfo]
	listUploads   func(ctx context.Context, bucket, prefix string, recursive bool) <-chan minio.ObjectMultipartInfo
	removeUploads func(ctx context.Context, bucket, key string) error
}

// ErrUnavailable means that the bucket cannot be reached or refuses us.
var ErrUnavailable = fault.New(fault.Unavailable, "photos_unavailable", "Pictures cannot be stored or read right now. Please try again.").After(30 * time.Second)

// maxTries of one request, with growing waits, as far as its context allows.
const maxTries = 3

// New returns a store. It does not connect.
func New(c Config) (*Store, error) {
	calls, err := connect(c, 10*time.Second)
	return &Store{calls, c}, err
}

// connect makes a client whose requests fail if no answer begins within the timeout.
func connect(c Config, timeout time.Duration) (calls, error) {
	lookup := minio.BucketLookupPath // every store has it, and needs no name for each bucket
	if c.Endpoint == defaultEndpoint {
		lookup = minio.BucketLookupAuto
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = timeout
	client, err := minio.New(c.Endpoint, &minio.Options{
		Creds: credentials.NewStaticV4(c.AccessKeyID, c.SecretAccessKey, ""), Secure: !c.Insecure,
		Region: c.Region, BucketLookup: lookup, Transport: transport, MaxRetries: maxTries,
	})
	if err != nil {
		return calls{}, err
	}
	return calls{
		client.BucketExists, client.PutObject, minio.Core{Client: client}.GetObject, client.RemoveObject,
		client.ListObjectsIter, client.ListIncompleteUploads, client.RemoveIncompleteUpload,
	}, nil
}

// Check returns an error if the bucket does not exist or we may not use it.
func (s *Store) Check(ctx context.Context) error {
	exists, err := s.bucketExists(ctx, s.cfg.Bucket)
	if err == nil && !exists {
		err = fmt.Errorf("the bucket %s does not exist", s.cfg.Bucket)
	}
	return err
}

// PutBlob is selling.BlobStore.
func (s *Store) PutBlob(ctx context.Context, key string, data []byte) error {
	_, err := s.putObject(ctx, s.cfg.Bucket, s.cfg.Prefix+key, bytes.NewReader(data), int64(len(data)),
		minio.PutObjectOptions{ContentType: "image/jpeg", DisableMultipart: true})
	return unavailable(ctx, err)
}

// GetBlob is selling.BlobStore.
func (s *Store) GetBlob(ctx context.Context, key string) ([]byte, error) {
	object, _, _, err := s.openObject(ctx, s.cfg.Bucket, s.cfg.Prefix+key, minio.GetObjectOptions{})
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return nil, selling.ErrBlobNotFound
	}
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	defer func() { _ = object.Close() }()
	data, err := io.ReadAll(object)
	return data, unavailable(ctx, err)
}

// DeleteBlob is selling.BlobStore.
func (s *Store) DeleteBlob(ctx context.Context, key string) error {
	err := s.removeObject(ctx, s.cfg.Bucket, s.cfg.Prefix+key, minio.RemoveObjectOptions{})
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return nil
	}
	return unavailable(ctx, err)
}

// unavailable wraps the error of a call, unless the caller has ended it.
func unavailable(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	return fmt.Errorf("%w (%w)", ErrUnavailable, err)
}
