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

// Distance counts the single-byte insertions, deletions and replacements between a and b.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
