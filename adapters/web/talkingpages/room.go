// Package talkingpages has the pages of conversations and notifications.
package talkingpages

import "github.com/octavo-books/octavo/adapters/web"

// Pages serves the pages of this room. It knows no other room.
type Pages struct{ *web.Pages }

// Features returns what the pages of this room bring.
func Features(site *web.Pages) []web.Feature {
	p := &Pages{site}
	return []web.Feature{
		p.conversationPages(), p.notificationPages(), p.pushPages(),
	}
}
