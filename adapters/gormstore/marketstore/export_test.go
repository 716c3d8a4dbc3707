package marketstore

// Impatient looks at few books, so that a test need not post thousands.
func Impatient(s *Store, walked, sorted int) *Store {
	s.bounds = bounds{walked, sorted}
	s.plain = plainBounds{books: walked, glanced: walked / 2, hits: sorted, entries: walked, few: sorted / 4, priced: sorted}
	return s
}
