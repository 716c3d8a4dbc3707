package graph

import (
	"time"

	"github.com/octavo-books/octavo/adapters/graph/graphgen"
	"github.com/octavo-books/octavo/domain/machine"
)

func toResource(r machine.Resource) graphgen.Resource {
	return graphgen.Resource{
		ID: r.ID, Name: r.Name, Identifier: r.Identifier, Scopes: orEmpty(r.Scopes), CreatedAt: toTime(r.CreatedAt),
		PreviousSecretUntil: orNever(r.Secret.PreviousUntil),
	}
}

func toMachine(m machine.Client) graphgen.Machine {
	return graphgen.Machine{
		ID: m.ID, Name: m.Name, Resources: orEmpty(m.Resources), Scopes: orEmpty(m.Scopes),
		Jwks: orNull(m.Keys), JwksURI: orNull(m.KeysURL), CreatedAt: toTime(m.CreatedAt),
		PreviousSecretUntil: orNever(m.Secret.PreviousUntil),
	}
}

// orNever returns null for the zero time.
func orNever(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	shown := toTime(at)
	return &shown
}

func toResourcePayload(r machine.Resource, secret string, err error) (*graphgen.ResourcePayload, error) {
	if err != nil {
		return nil, err
	}
	shown := toResource(r)
	return &graphgen.ResourcePayload{Resource: &shown, Secret: orNull(secret)}, nil
}

func toMachinePayload(m machine.Client, secret string, err error) (*graphgen.MachinePayload, error) {
	if err != nil {
		return nil, err
	}
	shown := toMachine(m)
	return &graphgen.MachinePayload{Machine: &shown, Secret: orNull(secret)}, nil
}

// applyToResource sets what was given.
func applyToResource(in graphgen.ResourceInput, r *machine.Resource) {
	r.Name, r.Identifier = orDefault(in.Name, r.Name), orDefault(in.Identifier, r.Identifier)
	if in.Scopes != nil {
		r.Scopes = in.Scopes
	}
}

// applyToMachine sets what was given.
func applyToMachine(in graphgen.MachineInput, m *machine.Client) {
	m.Name, m.Keys, m.KeysURL = orDefault(in.Name, m.Name), orDefault(in.Jwks, m.Keys), orDefault(in.JwksURI, m.KeysURL)
	if in.Resources != nil {
		m.Resources = in.Resources
	}
	if in.Scopes != nil {
		m.Scopes = in.Scopes
	}
}
