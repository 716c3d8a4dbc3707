package httpkit

import "context"

type drainingKey struct{}

// WithDraining makes a context whose Draining is ch; the server does it once
// for all its requests.
func WithDraining(ctx context.Context, ch <-chan struct{}) context.Context {
	return context.WithValue(ctx, drainingKey{}, ch)
}

// Draining is closed when the server begins to stop. A stream ends then, or it
// would hold the stop up; an ordinary request takes no notice. Outside a server
// it is nil, which never closes.
func Draining(ctx context.Context) <-chan struct{} {
	ch, _ := ctx.Value(drainingKey{}).(<-chan struct{})
	return ch
}
