// Package applicationpages has the pages on which owners look after programs: applications that sign people in, machines,
// and resources.
package applicationpages

import "github.com/octavo-books/octavo/adapters/web"

// Pages serves the pages of this room. It knows no other room.
type Pages struct{ *web.Pages }

// Features returns what the pages of this room bring: nothing without the service Identity.
func Features(site *web.Pages) []web.Feature {
	if site.Identity == nil {
		return nil
	}
	p := &Pages{site}
	return []web.Feature{p.clientPages(), p.machinePages()}
}
