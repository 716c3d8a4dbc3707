package blobs3_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/octavo-books/octavo/adapters/blobs3"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
)

func TestABucketKeepsThePromisesOfABlobStore(t *testing.T) {
	bucket := servers.S3(t)
	n := 0
	contract.Blobs(t, func(t *testing.T) selling.BlobStore {
		n++
		c := config(t, bucket.URL("of/test"+string(rune('a'+n))))
		s := must.Get(blobs3.New(c))(t)
		must.Do(t, s.Check(t.Context()))
		return s
	})
	t.Run("what the server refuses is unavailable", func(t *testing.T) {
		for name, change := range map[string]func(*blobs3.Config){
			"another bucket": func(c *blobs3.Config) { c.Bucket = "nowhere" },
			"a wrong secret": func(c *blobs3.Config) { c.SecretAccessKey = "guessed" },
			"no server":      func(c *blobs3.Config) { c.Endpoint = servers.Address(t) },
		} {
			c := config(t, bucket.URL(""))
			change(&c)
			s := must.Get(blobs3.New(c))(t)
			if err := s.PutBlob(t.Context(), "1/2.jpg", []byte("two")); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("%s: put: %v", name, err)
			}
			if s.Check(t.Context()) == nil {
				t.Errorf("%s: the check passes", name)
			}
		}
	})
}

func config(t *testing.T, url string) blobs3.Config {
	t.Helper()
	c := must.Get(blobs3.ParseURL(url))(t)
	c.AccessKeyID, c.SecretAccessKey = servers.S3AccessKeyID, servers.S3SecretAccessKey
	return c
}

func TestAnAddressOfABucketIsRead(t *testing.T) {
	for text, want := range map[string]blobs3.Config{
		"s3://books":                                          {Endpoint: "s3.amazonaws.com", Region: "us-east-1", Bucket: "books"},
		"s3://books/of/campus/?region=eu-1":                   {Endpoint: "s3.amazonaws.com", Region: "eu-1", Bucket: "books", Prefix: "of/campus/"},
		"s3://books?endpoint=http://127.0.0.1:9000":           {Endpoint: "127.0.0.1:9000", Insecure: true, Region: "us-east-1", Bucket: "books"},
		"s3://books?endpoint=https%3A%2F%2Fstore.edu&region=": {Endpoint: "store.edu", Bucket: "books"},
		"s3://books?endpoint=store.edu:9000":                  {Endpoint: "store.edu:9000", Region: "us-east-1", Bucket: "books"},
	} {
		if got, err := blobs3.ParseURL(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "s3://", "s3:books", "http://books", "s3://id:secret@books", "s3://books?endpoint=", "s3://books?endpoint=a/b", "s3://books?key=x", "s3://books#x"} {
		if got, err := blobs3.ParseURL(text); err == nil {
			t.Errorf("%s is read as %+v", text, got)
		}
	}
}

func TestLargeObjectsAreReadAsTheyWereWritten(t *testing.T) {
	o := must.Get(blobs3.NewObjects(config(t, servers.S3(t).URL("of"))))(t)
	large := make([]byte, 40<<20) // in several parts
	_, _ = rand.Read(large)
	sent := make(chan int, 1000)
	for name, size := range map[string]int64{"file": int64(len(large)), "stream": -1} {
		var r io.Reader = bytes.NewReader(large)
		if size < 0 {
			r = io.MultiReader(r) // it cannot seek
		}
		if err := o.PutObject(t.Context(), name, r, size, func(n int) {
			select {
			case sent <- n:
			default:
			}
		}); err != nil {
			t.Fatal(err)
		}
		body := must.Get(o.OpenObject(t.Context(), name))(t)
		if read, err := io.ReadAll(body); err != nil || !bytes.Equal(read, large) {
			t.Errorf("%s: %d bytes, %v", name, len(read), err)
		}
		_ = body.Close()
	}
	if len(sent) == 0 {
		t.Error("no progress was reported")
	}
	must.Refuse(t, must.Err(o.OpenObject(t.Context(), "nothing")), blobs3.ErrObjectNotFound, "an object that does not exist")
	all, err := o.ListObjects(t.Context())
	if err != nil || len(all) != 2 || all[0].Name != "file" || all[0].Size != int64(len(large)) || time.Since(all[0].Modified) > time.Hour {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestAnErrorOfTheSourceEndsTheUpload(t *testing.T) {
	o := must.Get(blobs3.NewObjects(config(t, servers.S3(t).URL("of"))))(t)
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(errors.New("the disk is failing")) }()
	if err := o.PutObject(t.Context(), "half", r, -1, func(int) {}); err == nil || !strings.Contains(err.Error(), "the disk is failing") {
		t.Errorf("%v", err)
	}
	if all, err := o.ListObjects(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestOldUploadsThatNeverEndedAreDiscarded(t *testing.T) {
	c := config(t, servers.S3(t).URL("of"))
	o := must.Get(blobs3.NewObjects(c))(t)
	client := must.Get(minio.NewCore(c.Endpoint, &minio.Options{Creds: credentials.NewStaticV4(c.AccessKeyID, c.SecretAccessKey, ""), Region: c.Region}))(t)
	for _, key := range []string{"of/ours", "other"} {
		must.Get(client.NewMultipartUpload(t.Context(), c.Bucket, key, minio.PutObjectOptions{}))(t)
	}
	for _, step := range []struct {
		before time.Time
		left   int
	}{{time.Now().Add(-24 * time.Hour), 2}, {time.Now().Add(time.Hour), 1}} {
		must.Do(t, o.AbortUploads(t.Context(), step.before))
		left, err := client.ListMultipartUploads(t.Context(), c.Bucket, "", "", "", "", 10)
		if err != nil || len(left.Uploads) != step.left {
			t.Errorf("before %v: %d are left instead of %d, %v", step.before, len(left.Uploads), step.left, err)
		}
	}
}
