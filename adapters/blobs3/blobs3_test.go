package blobs3_test

import (
	"testing"

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
