package config_test

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
)

func TestAFullDiskIsNoMistakeInASetting(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EIO, syscall.ENOTCONN} {
		err := config.FileError("DATA_DIR", &fs.PathError{Op: "mkdir", Path: "/data", Err: cause})
		if errors.Is(err, config.ErrSetting) || err.Error() != "DATA_DIR: mkdir /data: "+cause.Error() {
			t.Errorf("%v: %v", cause, err)
		}
	}
	for _, cause := range []error{syscall.EACCES, syscall.ENOTDIR, syscall.ENOENT, syscall.EROFS} {
		if err := config.FileError("DATA_DIR", &fs.PathError{Op: "mkdir", Path: "/data", Err: cause}); !errors.Is(err, config.ErrSetting) {
			t.Errorf("%v: %v", cause, err)
		}
	}
}
