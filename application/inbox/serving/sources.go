package serving

import (
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
)

// SetSources replaces what the service knows about its sources, by name. Deliveries of other
// sources are accepted, too, but no rule signs them as their sender does.
func (s *Service) SetSources(sources map[string]inbox.Source) { s.sources.Store(&sources) }

// sourceNamed returns the zero Source for an unknown name.
func (s *Service) sourceNamed(name string) inbox.Source {
	if all := s.sources.Load(); all != nil {
		return (*all)[name]
	}
	return inbox.Source{}
}

// senderOf returns the sender of a source, nil for an unknown name.
func (s *Service) senderOf(name string) *webhook.Sender { return s.sourceNamed(name).Sender }
