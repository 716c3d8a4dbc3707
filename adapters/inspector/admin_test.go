package inspector_test

import "github.com/octavo-books/octavo/application/inbox"

// newAdmin makes the use case behind the pages of a test.
func newAdmin(s *site) *inbox.Admin {
	return inbox.NewAdmin(inbox.Ports{Store: s.store, Clock: s.Now, IDs: s.Next})
}
