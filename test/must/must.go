// Package must ends a test at the first error that leaves it nothing to look at.
package must

import (
	"errors"
	"fmt"
	"sync"
)

// T is the common part of testing.TB and rapid.T.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// Do ends the test if there is an error.
func Do(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get returns the value of a call, or ends the test if the call failed: must.Get(f())(t).
func Get[V any](v V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		Do(t, err)
		return v
	}
}

// Get2 is Get for a call with two values.
func Get2[V, W any](v V, w W, err error) func(T) (V, W) {
	return func(t T) (V, W) {
		t.Helper()
		Do(t, err)
		return v, w
	}
}

// Err returns the error of a call, which is its last result: must.Err(f()).
func Err(results ...any) error {
	err, _ := results[len(results)-1].(error)
	return err
}

// Refuse fails the test, and goes on, if the error is not the one that is wanted; about says of what it is.
func Refuse(t T, err, want error, about ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%sgot %v, want %v", prefix(about), err, want)
	}
}

func prefix(about []any) string {
	if len(about) == 0 {
		return ""
	}
	return fmt.Sprintf("%v: ", about[0])
}

// Together calls do for each number below n at the same time, and returns when all calls have.
func Together(n int, do func(i int)) {
	start, all := make(chan struct{}), sync.WaitGroup{}
	for i := range n {
		all.Go(func() { <-start; do(i) })
	}
	close(start)
	all.Wait()
}
