package httpx

import "context"

type drainingKey struct{}

// WithDraining returns a context whose Draining is ch. The server uses it as the
// base context of all its requests.
func WithDraining(ctx context.Context, ch <-chan struct{}) context.Context {
	return context.WithValue(ctx, drainingKey{}, ch)
}

// Draining returns a channel that is closed when the server begins to shut down.
// Streams must end then, or they delay the shutdown; ordinary requests ignore it.
// Outside a server it is nil, which blocks for ever.
func Draining(ctx context.Context) <-chan struct{} {
	ch, _ := ctx.Value(drainingKey{}).(<-chan struct{})
	return ch
}
