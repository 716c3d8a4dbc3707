package blobfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/octavo-books/octavo/adapters/blobfile"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
)

func open(t *testing.T) (*blobfile.Store, string) {
	t.Helper()
	folder := filepath.Join(servers.Dir(t), "data", "photos")
	s := must.Get(blobfile.Open(folder))(t)
	return s, folder
}

func TestFilesKeepThePromisesOfABlobStore(t *testing.T) {
	contract.Blobs(t, func(t *testing.T) selling.BlobStore {
		s, _ := open(t)
		return s
	})
}

func TestPhotosAreForThisUserOnly(t *testing.T) {
	s, folder := open(t)
	must.Do(t, s.PutBlob(t.Context(), "1/2.jpg", []byte("two")))
	for path, want := range map[string]fs.FileMode{folder: 0o700, filepath.Join(folder, "1"): 0o700, filepath.Join(folder, "1", "2.jpg"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s is %v, %v", path, info.Mode(), err)
		}
	}
}

func TestWhatACrashHasLeftOfAPhotoIsDeletedWithIt(t *testing.T) {
	s, folder := open(t)
	left := filepath.Join(folder, "1", "2.jpg.part")
	must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(left), 0o700), os.WriteFile(left, []byte("half"), 0o600)))
	must.Refuse(t, must.Err(s.GetBlob(t.Context(), "1/2.jpg")), selling.ErrBlobNotFound, "half a picture is read")
	must.Do(t, s.DeleteBlob(t.Context(), "1/2.jpg"))
	must.Refuse(t, must.Err(os.Stat(left)), fs.ErrNotExist, "it is still there")
}

func TestNoKeyLeadsOutOfTheFolder(t *testing.T) {
	s, folder := open(t)
	outside := filepath.Join(filepath.Dir(folder), "secret")
	must.Do(t, os.WriteFile(outside, []byte("secret"), 0o600))
	if data, err := s.GetBlob(t.Context(), "../secret"); err == nil {
		t.Errorf("read %q", data)
	}
	if s.DeleteBlob(t.Context(), "../secret") == nil || s.PutBlob(t.Context(), "../secret", nil) == nil {
		t.Error("a file outside was changed")
	}
}

func TestAFolderThatCannotBeUsedIsUnavailable(t *testing.T) {
	s, folder := open(t)
	must.Do(t, os.RemoveAll(folder))
	must.Do(t, os.WriteFile(folder, nil, 0o600))
	if err := s.PutBlob(t.Context(), "1/2.jpg", []byte("two")); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("put: %v", err)
	}
	if _, err := blobfile.Open(folder); err == nil {
		t.Error("a file was opened as a folder")
	}
}

func TestAFolderThatComesBackIsUsedWithoutARestart(t *testing.T) {
	s, folder := open(t)
	away := folder + ".away"
	must.Do(t, errors.Join(s.PutBlob(t.Context(), "1/2.jpg", []byte("two")), s.Check(t.Context()), os.Rename(folder, away)))
	_, read := s.GetBlob(t.Context(), "1/2.jpg")
	for name, err := range map[string]error{"check": s.Check(t.Context()), "read": read, "write": s.PutBlob(t.Context(), "1/3.jpg", nil)} {
		if fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s without the folder: %v", name, err)
		}
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder was created again")
	}
	must.Do(t, os.Rename(away, folder))
	if data, err := s.GetBlob(t.Context(), "1/2.jpg"); err != nil || string(data) != "two" || s.Check(t.Context()) != nil {
		t.Errorf("with the folder again: %q, %v", data, err)
	}
}

func TestNothingIsWrittenWhereADiskWasUnmounted(t *testing.T) {
	s, folder := open(t)
	s.SetDisk(1) // that of another file system
	if err := s.PutBlob(t.Context(), "1/2.jpg", []byte("two")); fault.KindOf(err) != fault.Unavailable || s.Check(t.Context()) == nil {
		t.Errorf("put: %v", err)
	}
	if err := os.Mkdir(filepath.Join(folder, "lost+found"), 0o700); err != nil { // another disk was mounted
		t.Fatal(err)
	}
	if err := s.PutBlob(t.Context(), "1/2.jpg", []byte("two")); err != nil {
		t.Errorf("put on another disk: %v", err)
	}
}
