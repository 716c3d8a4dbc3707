package book

// Signature stands for a set of words in 63 bits, so that an index can compare
// sets: where one has all the words of another, its signature has all the bits of
// the other's. The reverse holds nearly always. Signatures are stored.
type Signature int64

// Sign gives the signature of words.
func Sign(words []string) Signature {
	var s Signature
	for _, w := range words {
		h := fnv1a(w)
		s |= 1<<(h%63) | 1<<(h>>32%63)
	}
	return s
}

// Has reports whether s may stand for all the words of other.
func (s Signature) Has(other Signature) bool { return other&^s == 0 }

// fnv1a is the hash by Fowler, Noll and Vo: it spreads short words well, and is the
// same on every machine.
func fnv1a(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
