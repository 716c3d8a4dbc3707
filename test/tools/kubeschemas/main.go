// Command kubeschemas converts the OpenAPI document of Kubernetes on standard input into JSON
// schemas for kubeconform. It writes one file per kind to the folder in its argument. The
// schemas refuse unknown fields.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

type object = map[string]any

func main() {
	if err := run(os.Stdin, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "kubeschemas:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, dir string) error {
	var api struct{ Definitions map[string]object }
	if err := json.NewDecoder(in).Decode(&api); err != nil {
		return err
	}
	for name, definition := range api.Definitions {
		switch name {
		case "io.k8s.apimachinery.pkg.util.intstr.IntOrString":
			api.Definitions[name] = object{"type": []string{"string", "integer"}}
		case "io.k8s.apimachinery.pkg.api.resource.Quantity":
			api.Definitions[name] = object{"type": []string{"string", "number"}}
		default:
			if definition["properties"] != nil {
				definition["additionalProperties"] = false
			}
		}
	}
	if err := write(dir, "definitions.json", object{"definitions": api.Definitions}); err != nil {
		return err
	}
	for name, definition := range api.Definitions {
		kinds, _ := definition["x-kubernetes-group-version-kind"].([]any)
		for _, kind := range kinds {
			if err := write(dir, fileOf(kind.(object)), object{"$ref": "definitions.json#/definitions/" + name}); err != nil {
				return err
			}
		}
	}
	return nil
}

// fileOf returns the file name that kubeconform expects for a kind, such as
// deployment-apps-v1.json. Of the group it contains only the first word.
func fileOf(kind object) string {
	group, _, _ := strings.Cut(kind["group"].(string), ".")
	words := []string{kind["kind"].(string), group, kind["version"].(string)}
	if group == "" {
		words = []string{words[0], words[2]}
	}
	return strings.ToLower(strings.Join(words, "-")) + ".json"
}

func write(dir, name string, content object) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), text, 0o600)
}
