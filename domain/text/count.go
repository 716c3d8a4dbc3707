package text

import "strconv"

// Count formats a number with its noun: "1 book", "2 books".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
