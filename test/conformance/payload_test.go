package conformance

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/receiver/githubpayload"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

// examples is the published collection of the sender's real payloads. It is
// fetched, never committed.
const examples = "@octokit/webhooks-examples@4.18.0"

// Every real payload decodes to the values that it has.
func TestTypedPayloadsDecodeTheSendersRealPayloads(t *testing.T) {
	total := 0
	for _, event := range fetchExamples(t) {
		for i, raw := range event.Examples {
			total++
			if _, err := webhook.Scan(raw); err != nil {
				t.Errorf("%s %d does not scan: %v", event.Name, i, err)
			}
			decoded := githubpayload.New(string(event.Name))
			if decoded == nil {
				continue
			}
			if err := json.Unmarshal(raw, decoded); err != nil {
				t.Errorf("%s %d: %v", event.Name, i, err)
				continue
			}
			comparison{t, i}.same(string(event.Name), decoded, raw)
		}
	}
	if total != 307 {
		t.Errorf("%d examples, want 307", total)
	}
}

type exampleEvent struct {
	Name     webhook.EventName
	Examples []json.RawMessage
}

// fetchExamples packs the collection into a temporary folder and reads it.
func fetchExamples(t *testing.T) []exampleEvent {
	t.Helper()
	deep.NotShort(t, "fetches real payloads")
	folder := t.TempDir()
	bounded, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	pack := exec.CommandContext(bounded, "npm", "pack", "--silent", examples)
	pack.Dir = folder
	if out, err := pack.CombinedOutput(); err != nil {
		t.Skipf("NOT CHECKED against the sender's real payloads: %s cannot be fetched: %v %s", examples, err, out)
	}
	archives, err := filepath.Glob(filepath.Join(folder, "*.tgz"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("npm packed %v, %v", archives, err)
	}
	var collection []exampleEvent
	must.Do(t, json.Unmarshal(unpack(t, archives[0], "index.json"), &collection))
	return collection
}

// unpack reads one file from a compressed archive.
func unpack(t *testing.T, archive, name string) []byte {
	t.Helper()
	packed := must.Get(os.ReadFile(archive))(t)
	plain := must.Get(gzip.NewReader(bytes.NewReader(packed)))(t)
	files := tar.NewReader(plain)
	for {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			t.Fatalf("no %s in %s", name, archive)
		}
		must.Do(t, err)
		if strings.HasSuffix(file.Name, "/"+name) {
			return must.Get(io.ReadAll(files))(t)
		}
	}
}

// comparison compares a decoded payload with the sent one.
type comparison struct {
	t       *testing.T
	example int
}

// same requires each decoded value to equal that in raw; a member that raw omits
// or sets to null must be empty.
func (c comparison) same(where string, decoded any, raw []byte) {
	c.t.Helper()
	again := must.Get(json.Marshal(decoded))(c.t)
	var got, want any
	must.Do(c.t, json.Unmarshal(again, &got))
	must.Do(c.t, json.Unmarshal(raw, &want))
	c.values(where, got, want)
}

func (c comparison) values(where string, got, want any) {
	c.t.Helper()
	switch g := got.(type) {
	case map[string]any:
		w, _ := want.(map[string]any)
		for name, value := range g {
			c.values(where+"."+name, value, w[name])
		}
	case []any:
		w, _ := want.([]any)
		if len(g) != len(w) {
			c.t.Errorf("%s of example %d has %d elements, want %d", where, c.example, len(g), len(w))
			return
		}
		for i := range g {
			c.values(where+"[]", g[i], w[i])
		}
	default:
		if want == nil && (g == nil || reflect.ValueOf(g).IsZero() || g == "0001-01-01T00:00:00Z") || sameTime(g, want) {
			return
		}
		if !reflect.DeepEqual(g, want) {
			c.t.Errorf("%s of example %d is %v, want %v", where, c.example, g, want)
		}
	}
}

// sameTime also knows the seconds since 1970 that some events have, and times without a zone.
func sameTime(got, sent any) bool {
	x, err := time.Parse(time.RFC3339, fmt.Sprint(got))
	if seconds, ok := sent.(float64); ok {
		return err == nil && x.Unix() == int64(seconds)
	}
	text := fmt.Sprint(sent)
	y, errSent := time.Parse(time.RFC3339, text)
	return err == nil && (errSent == nil && x.Equal(y) || text == x.Format(time.DateTime))
}
