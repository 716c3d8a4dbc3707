package book

// BloomFilter represents a set of words in 63 bits, so that an index can test whether one
// set contains another without reading the words. There are few false positives and no
// false negatives. Filters are stored: a change of the hash would hide existing requests.
type BloomFilter int64

// NewBloomFilter returns the filter of a set of words.
func NewBloomFilter(words []string) BloomFilter {
	var f BloomFilter
	for _, w := range words {
		h := fnv1a(w)
		f |= 1<<(h%63) | 1<<(h>>32%63)
	}
	return f
}

// ContainsAll reports whether f may contain all words of other. False is certain.
func (f BloomFilter) ContainsAll(other BloomFilter) bool { return other&^f == 0 }

// fnv1a is the 64-bit FNV-1a hash. It distributes short words well and is the same on
// every machine, unlike hash/maphash.
func fnv1a(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
