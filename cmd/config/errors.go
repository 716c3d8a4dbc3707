package config

import (
	"errors"
	"fmt"
	"strings"

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

// OneLine formats an error for an operator: on one line, and without the sentence
// for end users that precedes the cause.
func OneLine(err error) string {
	text := err.Error()
	if refusal := fault.As(err); refusal != nil {
		text = strings.ReplaceAll(text, refusal.Msg+": ", "")
	}
	return strings.Join(strings.Fields(text), " ")
}
