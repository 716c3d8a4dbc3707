package demo

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/octavo-books/octavo/domain/book"
)

// posting is an entry in the index of open requests, see book.IndexEntry.
type posting struct {
	key     uint32 // hash
	request int32
	words   book.BloomFilter
}

// postings finds the open requests that a book may match. Each of millions of requests has two
// or three entries of 16 bytes; the request itself is generated again when it is needed.
type postings struct {
	all    []posting // in the order of their keys
	starts []int32   // where the keys with the same upper bits begin
	shift  int
	seed   maphash.Seed
}

// newPostings returns an index with room for n entries.
func newPostings(n int) *postings {
	return &postings{all: make([]posting, 0, n), seed: maphash.MakeSeed()}
}

func (p *postings) hash(key string) uint32 { return uint32(maphash.String(p.seed, key)) }

func (p *postings) add(request int, e book.IndexEntry) {
	p.all = append(p.all, posting{p.hash(e.Key), int32(request), e.Words})
}

// sort prepares the index for find, after the last add.
func (p *postings) sort() {
	slices.SortFunc(p.all, func(a, b posting) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.request, b.request)) })
	p.shift = 32 - min(bits.Len(uint(len(p.all))), 31)
	p.starts = make([]int32, 1<<(32-p.shift)+1)
	at := 0
	for bucket := range p.starts {
		for at < len(p.all) && int(p.all[at].key>>p.shift) < bucket {
			at++
		}
		p.starts[bucket] = int32(at)
	}
}

// find returns the requests under the keys whose words a book may have, each once and in
// ascending order, and perhaps others: two keys may have the same hash.
func (p *postings) find(keys []string, words book.BloomFilter) []int32 {
	var found []int32
	for _, k := range keys {
		h := p.hash(k)
		bucket := h >> p.shift
		for _, e := range p.all[p.starts[bucket]:p.starts[bucket+1]] {
			if e.key == h && words.ContainsAll(e.words) {
				found = append(found, e.request)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
