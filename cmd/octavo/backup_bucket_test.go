package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/servers"
)

// today is the time of the first backup of a test.
var today = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

// bucketOfBackups returns a small campus with a photo and a bucket for its backups.
func bucketOfBackups(t *testing.T) (env map[string]string, bucket *servers.Bucket, url string) {
	t.Helper()
	bucket = servers.S3(t)
	env = map[string]string{
		"DATA_DIR":          filepath.Join(t.TempDir(), "data"),
		"AWS_ACCESS_KEY_ID": servers.S3AccessKeyID, "AWS_SECRET_ACCESS_KEY": servers.S3SecretAccessKey,
	}
	campus(t, env)
	photo := filepath.Join(env["DATA_DIR"], "photos", "7", "8.jpg")
	if err := os.MkdirAll(filepath.Dir(photo), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, photo, "a picture")
	return env, bucket, bucket.URL("of/campus")
}

// stoppedClock always tells the same time.
type stoppedClock struct{ now time.Time }

func (c stoppedClock) Now() time.Time { return c.now }

func (stoppedClock) Every(time.Duration, func()) (stop func()) { return func() {} }

// backUpAt makes a backup at that time and returns what it prints.
func backUpAt(t *testing.T, env map[string]string, at time.Time, args ...string) string {
	t.Helper()
	out, errs, code := octavoAt(t, stoppedClock{at}, env, append([]string{"backup"}, args...)...)
	if code != 0 {
		t.Fatalf("backup %v: %d %s%s", args, code, out, errs)
	}
	return out
}

func TestABackupInABucketIsRestoredCompletely(t *testing.T) {
	env, _, url := bucketOfBackups(t)
	people, _, _ := octavo(t, env, "users", "list")
	const key = "a key"
	write(t, filepath.Join(env["DATA_DIR"], "oidc-signing-key.pem"), key)
	out := backUpAt(t, env, today, url)
	for _, name := range []string{"octavo.db", "oidc-signing-key.pem", "photos.tar"} {
		if !strings.Contains(out, "s3://books/of/campus/2030-01-02T030405Z/"+name+"\n") {
			t.Errorf("no %s in %s", name, out)
		}
	}
	if left, err := os.ReadDir(env["DATA_DIR"]); err != nil || strings.Contains(strings.Join(names(left), " "), ".octavo-backup") {
		t.Errorf("left behind: %v, %v", left, err)
	}
	folder := filepath.Join(t.TempDir(), "new", "data")
	if out, errs, code := octavo(t, env, "restore", url, folder); code != 0 || !strings.Contains(out, filepath.Join(folder, "octavo.db")+"\n") {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	if restored, errs, _ := octavo(t, map[string]string{"DATA_DIR": folder}, "users", "list"); restored != people {
		t.Errorf("other people: %s%s", restored, errs)
	}
	for name, want := range map[string]string{"oidc-signing-key.pem": key, "photos/7/8.jpg": "a picture"} {
		if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	ownersAlone(t, folder)
	if left, _ := os.ReadDir(folder); strings.Contains(strings.Join(names(left), " "), ".octavo-restore") {
		t.Errorf("left behind: %v", left)
	}
}

func names(entries []fs.DirEntry) (all []string) {
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestARestoreOverwritesNothing(t *testing.T) {
	env, _, url := bucketOfBackups(t)
	backUpAt(t, env, today, url)
	there := t.TempDir()
	write(t, filepath.Join(there, "octavo.db"), "mine")
	for _, folder := range []string{env["DATA_DIR"], there} {
		out, errs, code := octavo(t, env, "restore", url, folder)
		if code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "nothing is overwritten") {
			t.Errorf("%s: %d %s%s", folder, code, out, errs)
		}
	}
	if content, err := os.ReadFile(filepath.Join(there, "octavo.db")); err != nil || string(content) != "mine" {
		t.Errorf("%q, %v", content, err)
	}
	empty := t.TempDir() // a mounted volume exists already
	if out, errs, code := octavo(t, env, "restore", url, empty); code != 0 {
		t.Errorf("into an empty folder: %d %s%s", code, out, errs)
	}
}

func TestTheBucketKeepsTheLastBackups(t *testing.T) {
	env, bucket, url := bucketOfBackups(t)
	foreign := bucket.File("of/campus/notes/manifest.json")
	if err := os.MkdirAll(filepath.Dir(foreign), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, foreign, "{}")
	for day := range 3 {
		backUpAt(t, env, today.AddDate(0, 0, day), url)
	}
	list, errs, code := octavo(t, env, "restore", "--list", url)
	if code != 0 || strings.Count(list, "\n") != 3 || !strings.HasPrefix(list, "2030-01-02T030405Z  ") {
		t.Errorf("%d %s%s", code, list, errs)
	}
	out := backUpAt(t, env, today.AddDate(0, 0, 3), url, "--keep-last", "2")
	if !strings.Contains(out, "deleted s3://books/of/campus/2030-01-02T030405Z\n") || strings.Count(out, "deleted") != 2 {
		t.Errorf("printed %s", out)
	}
	list, _, _ = octavo(t, env, "restore", "--list", url)
	if strings.Count(list, "\n") != 2 || !strings.HasPrefix(list, "2030-01-04T030405Z  ") {
		t.Errorf("kept %s", list)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Errorf("what is no backup was deleted: %v", err)
	}
	// The clock was set back: the new backup is not the one to delete.
	backUpAt(t, env, today.AddDate(-1, 0, 0), url, "--keep-last=1")
	if list, _, _ = octavo(t, env, "restore", "--list", url); !strings.Contains(list, "2029-01-02T030405Z  ") {
		t.Errorf("kept %s", list)
	}
	folder := filepath.Join(t.TempDir(), "data")
	if out, errs, code := octavo(t, env, "restore", url, folder, "--backup", "2029-01-02T030405Z"); code != 0 {
		t.Errorf("the named one: %d %s%s", code, out, errs)
	}
}

func TestADamagedBackupIsRefused(t *testing.T) {
	env, bucket, url := bucketOfBackups(t)
	backUpAt(t, env, today, url)
	for _, c := range []struct {
		name   string
		damage func(content []byte) []byte
		says   string
	}{
		{"octavo.db", func(b []byte) []byte { return b[:len(b)/2] }, "bytes, not the"},
		{"octavo.db", func(b []byte) []byte { b[len(b)/2] ^= 1; return b }, "SHA-256"},
		{"photos.tar", func(b []byte) []byte { return b[:700] }, "bytes, not the"},
		{"photos.tar", func(b []byte) []byte { b[0] ^= 1; return b }, "SHA-256"},
		{"photos.tar", func(b []byte) []byte { b[513] ^= 1; return b }, "SHA-256"},
		{"manifest.json", func(b []byte) []byte { return b[:len(b)-9] }, "damaged"},
		{"manifest.json", func(b []byte) []byte { return bytes.Replace(b, []byte("octavo.db"), []byte("../stolen"), 1) }, "damaged"},
		{"octavo.db", nil, "missing"},
	} {
		file := bucket.File("of/campus/2030-01-02T030405Z/" + c.name)
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if c.damage == nil {
			err = os.Remove(file)
		} else {
			err = os.WriteFile(file, c.damage(bytes.Clone(whole)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(t.TempDir(), "data")
		out, errs, code := octavo(t, env, "restore", url, folder)
		if code != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.says) || !strings.Contains(errs, c.name) {
			t.Errorf("%s: %d %s%s, which does not say %q", c.name, code, out, errs, c.says)
		}
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("%s: a folder was made", c.name)
		}
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatIsLeftOfAnInterruptedBackupIsDeletedAfterADay(t *testing.T) {
	env, bucket, url := bucketOfBackups(t)
	now := time.Now()
	backUpAt(t, env, now.Add(-time.Hour), url)
	begun := now.Add(-time.Hour).UTC().Format("2006-01-02T150405Z")
	manifest := bucket.File("of/campus/" + begun + "/manifest.json")
	local := filepath.Join(env["DATA_DIR"], ".octavo-backup-1")
	if err := os.Remove(manifest); err != nil { // so it was interrupted
		t.Fatal(err)
	}
	if err := os.Mkdir(local, 0o700); err != nil {
		t.Fatal(err)
	}
	if list, errs, code := octavo(t, env, "restore", "--list", url); list != "" || code != 0 {
		t.Errorf("it is listed: %d %s%s", code, list, errs)
	}
	if _, errs, code := octavo(t, env, "restore", url, filepath.Join(t.TempDir(), "data")); code != 1 || !strings.Contains(errs, "no complete backup") {
		t.Errorf("it is restored: %d %s", code, errs)
	}
	backUpAt(t, env, now, url)
	for _, path := range []string{filepath.Dir(manifest), local} {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("another may still be making it: %v", err)
		}
	}
	yesterday := now.Add(-25 * time.Hour)
	if err := os.Chtimes(local, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	backUpAt(t, env, now.Add(25*time.Hour), url)
	for _, path := range []string{filepath.Join(filepath.Dir(manifest), "octavo.db"), local} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
}

func TestABucketThatCannotBeUsedIsReportedInOneLine(t *testing.T) {
	env, bucket, url := bucketOfBackups(t)
	nobody := strings.Replace(url, "127.0.0.1", "127.0.0.2", 1)
	elsewhere := strings.Replace(url, "books", "nowhere", 1)
	folder := filepath.Join(t.TempDir(), "data")
	for _, c := range []struct {
		url, setting, value string
		code                int
		says                string
	}{
		{url, "AWS_SECRET_ACCESS_KEY", "guessed", 1, "AWS_SECRET_ACCESS_KEY"},
		{url, "AWS_ACCESS_KEY_ID", "guessed", 1, "access key ID"}, // in the words of the server
		{url, "AWS_ACCESS_KEY_ID", "", 2, "AWS_ACCESS_KEY_ID"},
		{elsewhere, "", "", 1, "the bucket nowhere does not exist"},
		{nobody, "", "", 1, "cannot reach 127.0.0.2"},
		{"s3://", "", "", 2, "must be like s3://"},
		{"s3://books?zone=1", "", "", 2, "only endpoint and region"},
	} {
		changed := map[string]string{}
		for name, value := range env {
			changed[name] = value
		}
		if c.setting != "" {
			changed[c.setting] = c.value
		}
		for _, args := range [][]string{{"backup", c.url}, {"restore", c.url, folder}, {"restore", "--list", c.url}} {
			out, errs, code := octavo(t, changed, args...)
			if code != c.code || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.says) {
				t.Errorf("%v with %s=%s: %d %q %q", args, c.setting, c.value, code, out, errs)
			}
		}
	}
	if left, err := os.ReadDir(filepath.Dir(bucket.File("of"))); err != nil || len(left) != 0 {
		t.Errorf("the bucket has %v, %v", left, err)
	}
}

func TestArgumentsOfBackupAndRestoreAreChecked(t *testing.T) {
	env := map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "data"), "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
	octavo(t, env, "migrate", "up")
	for command, says := range map[string]string{
		"backup s3://books --keep-last=-1":    "--keep-last",
		"restore copy new":                    "SOURCE: must be s3://",
		"restore s3://books":                  "FOLDER",
		"restore s3://books --list new":       "--list",
		"restore --list":                      "source",
		"restore s3://books new --backup 1 2": "2",
	} {
		if out, errs, code := octavo(t, env, strings.Fields(command)...); code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, says) {
			t.Errorf("%s: %d %q %q", command, code, out, errs)
		}
	}
	env["DATABASE_URL"] = "postgres://127.0.0.1/octavo"
	if _, errs, code := octavo(t, env, "backup", "s3://books"); code != 2 || !strings.Contains(errs, "pg_dump") {
		t.Errorf("on Postgres: %d %q", code, errs)
	}
}
