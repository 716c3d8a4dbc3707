package serving

import (
	"context"
	"hash/fnv"
)

// versionTurns let requests with one id store its versions one after another: each needs the
// number after that of the newest. Only processes beside this one are raced.
type versionTurns [64]chan struct{}

func newVersionTurns() (turns versionTurns) {
	for i := range turns {
		turns[i] = make(chan struct{}, 1)
	}
	return turns
}

// take waits for the turn of an id. The caller must call end.
func (v *versionTurns) take(ctx context.Context, source, id string) (end func(), err error) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(source + "\x00" + id))
	turn := v[h.Sum32()%uint32(len(v))]
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
