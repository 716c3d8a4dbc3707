// Package typo finds the name that somebody probably meant by a mistyped one.
package typo

// maxNearest limits the bytes of what Nearest compares, whose time grows with them.
const maxNearest = 100

// Nearest returns the known name with the smallest edit distance to name, the first of
// several. It is empty if every distance exceeds both two and a third of the name's length.
func Nearest[T ~string](name T, known []T) T {
	if len(name) > maxNearest {
		return ""
	}
	best, distance := T(""), max(2, len(name)/3)+1
	for _, k := range known {
		if d := Distance(string(name), string(k)); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// Distance counts the single-byte insertions, deletions and replacements, and the swaps of two
// neighbours, between a and b.
func Distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			replace := row[j]
			if a[i] != b[j] {
				replace++
			}
			next[j+1] = min(replace, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
