package webhook

import "slices"

// SignedHeaders returns the headers that hold the signature, and the time if it is signed.
func (s *Sender) SignedHeaders() (names []string) {
	if s = s.orHost(); s.special != nil {
		return slices.Concat(s.special.headers...)
	}
	for _, sc := range s.schemes {
		if sc.signature.from.header != "" {
			names = append(names, sc.signature.from.header)
		}
		if sc.timestamp != nil && sc.timestamp.from.header != "" {
			names = append(names, sc.timestamp.from.header)
		}
	}
	return names
}
