package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// engineConfig is the configuration with which an engine starts a container.
type engineConfig struct {
	User            string
	Env             []string
	Entrypoint, Cmd []string
	Volumes         map[string]any
	Healthcheck     struct{ Test []string }
}

// descriptor refers to a blob of an OCI layout.
type descriptor struct {
	MediaType, Digest string
	Platform          struct{ Architecture, OS string }
}

// unpacked unpacks the layers of an OCI layout, for this machine's architecture, into a root.
func unpacked(t *testing.T, layout, root string) string {
	t.Helper()
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	// The user of the image needs access to its root.
	for _, dir := range []string{filepath.Dir(root), root} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var manifest struct{ Layers []descriptor }
	unmarshal(t, blob(t, layout, manifestOf(t, layout)), &manifest)
	if len(manifest.Layers) == 0 {
		t.Fatal("the image has no layer")
	}
	for _, layer := range manifest.Layers {
		command(t, "tar", "--extract", "--gzip", "--numeric-owner", "--preserve-permissions", "--file", blobPath(layout, layer), "--directory", root)
	}
	return root
}

// manifestOf returns the manifest for this machine.
func manifestOf(t *testing.T, layout string) descriptor {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(layout, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	for {
		var index struct{ Manifests []descriptor }
		unmarshal(t, text, &index)
		for _, d := range index.Manifests {
			if d.Platform.Architecture == runtime.GOARCH && d.Platform.OS == "linux" {
				return d
			}
		}
		if len(index.Manifests) != 1 || !strings.Contains(index.Manifests[0].MediaType, "index") {
			t.Fatalf("no image for %s: %s", runtime.GOARCH, text)
		}
		text = blob(t, layout, index.Manifests[0])
	}
}

func blobPath(layout string, d descriptor) string {
	return filepath.Join(layout, "blobs", strings.ReplaceAll(d.Digest, ":", "/"))
}

func blob(t *testing.T, layout string, d descriptor) []byte {
	t.Helper()
	b, err := os.ReadFile(blobPath(layout, d))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func inArchive(t *testing.T, archive, name string) []byte {
	t.Helper()
	return command(t, "tar", "--extract", "--to-stdout", "--file", archive, name)
}

func command(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return out
}

func unmarshal(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}
