package applicationpages

import (
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/machine"
)

func resourceForm(action, button string, r machine.Resource) web.Form {
	return web.Form{Action: action, Button: button, Fields: []web.Field{
		{Name: "name", Label: "Name", Value: r.Name, Autocomplete: "off", Max: 100},
		{Name: "identifier", Label: "Identifier", Type: "url", Value: r.Identifier, Max: 2000, Hint: "The audience of its tokens, such as https://api.example.edu."},
		{Name: "scopes", Label: "Scopes", Type: "lines", Value: strings.Join(r.Scopes, "\n"), Max: 5_100, Hint: "What callers may do there, one word a line."},
	}}
}

// onResource names the checkbox of a resource.
func onResource(id string) string { return "on-" + id }

func machineForm(action, button string, m machine.Client, resources []machine.Resource) web.Form {
	f := web.Form{Action: action, Button: button, Fields: []web.Field{{Name: "name", Label: "Name", Value: m.Name, Autocomplete: "off", Max: 100}}}
	may := map[string]bool{}
	for _, id := range m.Resources {
		may[id] = true
	}
	for _, r := range resources {
		box := web.Field{Name: onResource(r.ID), Label: r.Name + " · " + r.Identifier, Type: "check", Optional: true}
		if may[r.ID] {
			box.Value = "yes"
		}
		f.Fields = append(f.Fields, box)
	}
	f.Fields = append(f.Fields,
		web.Field{Name: "scopes", Label: "Scopes", Type: "lines", Value: strings.Join(m.Scopes, "\n"), Max: 5_100, Hint: "What it may ask for at these resources, one word a line."},
		web.Field{Name: "jwks", Label: "Its public keys", Type: "lines", Value: m.Keys, Max: machine.MaxKeys, Optional: true, Hint: "A JWKS, if it signs in place of sending a secret."},
		web.Field{Name: "jwksuri", Label: "Address of its public keys", Type: "url", Value: m.KeysURL, Max: 2000, Optional: true},
	)
	return f
}

// applyMachine sets the fields of machineForm to what was typed.
func applyMachine(typed url.Values, resources []machine.Resource, m *machine.Client) {
	m.Name, m.Scopes = strings.TrimSpace(typed.Get("name")), strings.Fields(typed.Get("scopes"))
	m.Keys, m.KeysURL, m.Resources = strings.TrimSpace(typed.Get("jwks")), strings.TrimSpace(typed.Get("jwksuri")), nil
	for _, r := range resources {
		if typed.Has(onResource(r.ID)) {
			m.Resources = append(m.Resources, r.ID)
		}
	}
}

func applyResource(typed url.Values, r *machine.Resource) {
	r.Name, r.Identifier, r.Scopes = strings.TrimSpace(typed.Get("name")), strings.TrimSpace(typed.Get("identifier")), strings.Fields(typed.Get("scopes"))
}
