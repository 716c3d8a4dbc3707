// Githubpayloads writes Go types for the payloads of GitHub's events from the OpenAPI document
// of the npm package @octokit/openapi-webhooks:
//
//	go run ./test/tools/githubpayloads api.github.com.json adapters/githubpayload
//
// test/tools/githubpayloads.sh fetches the document. An event has one type, whatever the
// action: a member that not every action has is optional. Objects that the document gives the same title
// are one type, too; a member whose types contradict each other is a json.RawMessage.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: githubpayloads DOCUMENT FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "githubpayloads:", err)
		os.Exit(1)
	}
}

func run(document, folder string) error {
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	var d openAPI
	if err := json.Unmarshal(text, &d); err != nil {
		return err
	}
	types := newTypes(d.Components.Schemas)
	events := types.events(d.Webhooks)
	types.keepUsed(events)
	for name, text := range map[string]string{"events.go": writeEvents(events), "types.go": types.write()} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%d events, %d types\n", len(events), len(types.named))
	return nil
}

type openAPI struct {
	Webhooks map[string]struct {
		Post struct {
			OperationID string `json:"operationId"`
			RequestBody struct {
				Content map[string]struct {
					Schema schema `json:"schema"`
				} `json:"content"`
			} `json:"requestBody"`
		} `json:"post"`
	} `json:"webhooks"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

// schema is what the generator reads of a JSON schema.
type schema struct {
	Ref                  string            `json:"$ref"`
	Title                string            `json:"title"`
	Type                 any               `json:"type"` // a text or a list of texts
	Format               string            `json:"format"`
	Nullable             bool              `json:"nullable"`
	Enum                 []any             `json:"enum"`
	Properties           map[string]schema `json:"properties"`
	Required             []string          `json:"required"`
	Items                *schema           `json:"items"`
	AdditionalProperties any               `json:"additionalProperties"`
	OneOf                []schema          `json:"oneOf"`
	AnyOf                []schema          `json:"anyOf"`
	AllOf                []schema          `json:"allOf"`
}

// kinds returns the types of the schema without null, and whether null is one of them.
func (s schema) kinds() (kinds []string, null bool) {
	all := []any{s.Type}
	if list, ok := s.Type.([]any); ok {
		all = list
	}
	for _, one := range all {
		switch kind, _ := one.(string); kind {
		case "null":
			null = true
		case "":
		default:
			kinds = append(kinds, kind)
		}
	}
	switch {
	case len(kinds) > 0:
	case s.Properties != nil:
		kinds = []string{"object"}
	case s.Items != nil:
		kinds = []string{"array"}
	case len(s.Enum) > 0:
		kinds = []string{"string"}
	}
	return kinds, null || s.Nullable || slices.Contains(s.Enum, nil)
}

type event struct {
	name string // as GitHub writes it
	root *node
}

// events makes one type of each event.
func (t *types) events(webhooks map[string]struct {
	Post struct {
		OperationID string `json:"operationId"`
		RequestBody struct {
			Content map[string]struct {
				Schema schema `json:"schema"`
			} `json:"content"`
		} `json:"requestBody"`
	} `json:"post"`
}) (all []event) {
	roots := map[string]*node{}
	for _, key := range sortedKeys(webhooks) {
		post := webhooks[key].Post
		name, _, _ := strings.Cut(post.OperationID, "/")
		name = strings.ReplaceAll(name, "-", "_")
		one := t.inline(post.RequestBody.Content["application/json"].Schema)
		if one.kind != objectKind {
			continue
		}
		if roots[name] == nil {
			roots[name] = one
		} else {
			roots[name] = t.merge(roots[name], one)
		}
	}
	for _, name := range sortedKeys(roots) {
		all = append(all, event{name, roots[name]})
	}
	return all
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
