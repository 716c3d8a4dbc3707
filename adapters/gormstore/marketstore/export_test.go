package marketstore

// Impatient looks at few books, so that a test need not post thousands.
func Impatient(s *Store, walked, sorted int) *Store {
	s.bounds = bounds{walked, sorted}
	return s
}
