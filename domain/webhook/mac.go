package webhook

import (
	"crypto/hmac"
	"crypto/sha512"
	"hash"
	"sync"
)

// macKey holds reusable HMAC states of one key, so that a verification costs only the
// hashing of what is signed. It is safe for concurrent use.
type macKey struct{ states sync.Pool } // of *macState

// macState is an HMAC state with buffers for its result and for what is hashed besides
// the body.
type macState struct {
	hash.Hash
	sum     [sha512.Size]byte
	scratch []byte
}

func newMACKey(algorithm func() hash.Hash, key []byte) *macKey {
	k := &macKey{}
	k.states.New = func() any { return &macState{Hash: hmac.New(algorithm, key)} }
	return k
}

// get returns a reset state; pass it to put afterwards.
func (k *macKey) get() *macState {
	state := k.states.Get().(*macState)
	state.Reset()
	return state
}

func (k *macKey) put(state *macState) { k.states.Put(state) }

// text hashes a text; a hash never fails to write.
func (s *macState) text(text string) {
	s.scratch = append(s.scratch[:0], text...)
	s.Write(s.scratch)
}

// result returns the HMAC, in memory that the next use of the state overwrites.
func (s *macState) result() []byte { return s.Sum(s.sum[:0]) }
