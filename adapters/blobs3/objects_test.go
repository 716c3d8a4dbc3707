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
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
)

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
	if _, err := o.OpenObject(t.Context(), "nothing"); !errors.Is(err, blobs3.ErrObjectNotFound) {
		t.Errorf("an object that does not exist: %v", err)
	}
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
