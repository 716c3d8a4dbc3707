package message

import "strings"

// MaxSubjectWords is how many characters of people's words the subject of a mail holds.
const MaxSubjectWords = 80

// SubjectWords shortens what a person wrote to at most n characters for a subject, and breaks what
// mail clients turn into a link or an address: the service must not seem to recommend it.
func SubjectWords(s string, n int) string {
	s = strings.NewReplacer("://", " ", "@", " ", "\uff20", " ", "\ufe6b", " ").Replace(s)
	const web = "www."
	for i := 0; i+len(web) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(web)], web) {
			s = s[:i+len(web)-1] + " " + s[i+len(web):]
		}
	}
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > n {
		if n <= 0 {
			return ""
		}
		return strings.TrimSpace(string(runes[:n-1])) + "…"
	}
	return s
}
