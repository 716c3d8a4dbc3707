//go:build !linux

// Package child is about the programs that tests start.
package child

import "syscall"

// EndWithUs does nothing here: only Linux can end a program with the one that
// started it. What a test that was killed leaves behind is ended by hand.
func EndWithUs() *syscall.SysProcAttr { return nil }
