//go:build !linux

package picture

// limitProcess does nothing where there are no such limits: the converter still ends a process
// that takes too long.
func limitProcess() error { return nil }
