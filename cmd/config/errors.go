package config

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/octavo-books/octavo/domain/fault"
)

// ErrSetting matches every error about a setting or an argument. The program then exits with
// code 2.
var ErrSetting = errors.New("invalid setting")

type settingError struct{ name, why string }

func (e settingError) Error() string        { return e.name + ": " + e.why }
func (e settingError) Is(target error) bool { return target == ErrSetting }

// Errorf makes the one-line error for the setting of that name.
func Errorf(name, format string, args ...any) error {
	return settingError{name, fmt.Sprintf(format, args...)}
}

// FileError is the error for a file of the setting of that name. Of a full disk or a file system that
// is not there yet, it is none about a setting: a restart may help.
func FileError(name string, err error) error {
	for _, lasting := range []error{
		fs.ErrPermission, fs.ErrNotExist, fs.ErrExist, syscall.ENOTDIR, syscall.EISDIR, syscall.EROFS, syscall.EINVAL, syscall.ENAMETOOLONG,
	} {
		if errors.Is(err, lasting) {
			return Errorf(name, "%v", err)
		}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// settingErrors are several errors about settings: an operator wants to see all of them at once.
type settingErrors []error

func (p settingErrors) Error() string { return strings.Join(Lines(p), "; ") }

// Unwrap makes errors.Is and errors.As look at each of them.
func (p settingErrors) Unwrap() []error { return p }

// Together returns all of the errors as settingErrors, each text once; nil if there are none.
func Together(errs ...error) error {
	var all settingErrors
	for _, err := range errs {
		for _, one := range EachProblem(err) {
			if !slices.ContainsFunc(all, func(e error) bool { return e.Error() == one.Error() }) {
				all = append(all, one)
			}
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}

// EachProblem returns the errors of settingErrors, or the error itself if it is no settingErrors.
func EachProblem(err error) []error {
	var all settingErrors
	switch {
	case err == nil:
		return nil
	case errors.As(err, &all):
		return all
	}
	return []error{err}
}

// Concerns returns the names of the settings that an error is about.
func Concerns(err error) []string {
	var e settingError
	if !errors.As(err, &e) {
		return nil
	}
	names := strings.Split(strings.ReplaceAll(e.name, " or ", ", "), ", ")
	for _, name := range names {
		if secret, inFile := strings.CutSuffix(name, "_FILE"); inFile {
			names = append(names, secret)
		}
	}
	return names
}

// Lines formats an error for an operator, each of several on a line of its own.
func Lines(err error) []string {
	var lines []string
	for _, one := range EachProblem(err) {
		lines = append(lines, OneLine(one))
	}
	return lines
}

// OneLine formats an error for an operator: on one line, and without the sentence
// for end users that precedes the cause.
func OneLine(err error) string {
	text := err.Error()
	if refusal := fault.As(err); refusal != nil {
		text = strings.ReplaceAll(text, refusal.Msg+": ", "")
	}
	return strings.Join(strings.Fields(text), " ")
}
