package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// withBucket lets a program use a bucket for its backups.
var withBucket = []string{issuer, "AWS_ACCESS_KEY_ID=" + servers.S3AccessKeyID, "AWS_SECRET_ACCESS_KEY=" + servers.S3SecretAccessKey}

func TestAKilledUploadIsNoBackup(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	bucket := servers.S3(t)
	url := bucket.URL("campus")
	s := e2e.StartWith(t, withBucket, "auth", "market")
	// Nobody writes to this pipe, so the upload of the photos hangs at it.
	photos := filepath.Join(s.DataDir, "photos", "1")
	if err := os.MkdirAll(photos, 0o700); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(photos, "2.jpg")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	backup := s.Begin("backup", url)
	opened := make(chan error, 1)
	go func() { // opening waits for the program, which then waits for data
		f, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		opened <- err
		if err == nil {
			<-t.Context().Done()
			_ = f.Close()
		}
	}()
	select {
	case err := <-opened:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(poll.Limit):
		t.Fatal("the upload did not begin")
	}
	backup.Kill()
	if out, code := s.Octavo("restore", "--list", url); code != 0 || out != "" {
		t.Errorf("it is listed: %d %s", code, out)
	}
	if out, code := s.Octavo("restore", url, filepath.Join(servers.Dir(t), "data")); code != 1 || !strings.Contains(out, "no complete backup") {
		t.Errorf("it is restored: %d %s", code, out)
	}
	if err := os.Remove(pipe); err != nil {
		t.Fatal(err)
	}
	if out, code := s.Octavo("backup", url); code != 0 {
		t.Errorf("the next one: %d %s", code, out)
	}
	if out, code := s.Octavo("restore", "--list", url); code != 0 || strings.Count(out, "\n") != 1 {
		t.Errorf("after the next one: %d %s", code, out)
	}
}
