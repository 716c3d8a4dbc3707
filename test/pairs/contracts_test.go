package pairs_test

import (
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/pages"
	"go.yaml.in/yaml/v3"
)

// byOperation and byPage return who may, by the table.
func byOperation() map[string]who {
	all := map[string]who{}
	for _, a := range actions {
		for _, op := range a.ops {
			all[op] = a.who
		}
	}
	return all
}

func byPage() map[string]who {
	all := map[string]who{}
	for _, a := range actions {
		for _, page := range a.pages {
			all[page] = a.who
		}
	}
	return all
}

func TestTheAPILetsThoseChangeTheMarketWhomTheTableNames(t *testing.T) {
	t.Parallel()
	text := must.Get(os.ReadFile("../../adapters/rest/openapi.yaml"))(t)
	var document struct {
		Paths map[string]map[string]yaml.Node
	}
	must.Do(t, yaml.Unmarshal(text, &document))
	found := map[string]who{}
	for path, methods := range document.Paths {
		for method, node := range methods {
			if method == "get" || method == "parameters" || strings.HasPrefix(path, "/api/auth/") {
				continue
			}
			var op struct {
				ID  string `yaml:"operationId"`
				Who who    `yaml:"x-who"`
			}
			must.Do(t, node.Decode(&op))
			found[op.ID] = op.Who
		}
	}
	same(t, "the document of the API", found, byOperation())
}

// audiences are those whose pages change the market, and their names in the table.
var audiences = map[web.Audience]who{web.Students: student, web.Admins: admin, web.Owners: owner}

func TestThePagesLetThoseChangeTheMarketWhomTheTableNames(t *testing.T) {
	t.Parallel()
	found := map[string]who{}
	for _, r := range pages.Routes(t) {
		if who := audiences[r.For]; r.Method == http.MethodPost && r.Room != web.Account && who != "" && r.Path != "/dashboard/setup" {
			found[r.Path] = who
		}
	}
	same(t, "the routes of the pages", found, byPage())
}

func same(t *testing.T, where string, found, table map[string]who) {
	t.Helper()
	if len(found) < 20 {
		t.Fatalf("%s has only %v", where, found)
	}
	both := maps.Clone(found)
	maps.Copy(both, table)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if found[name] != table[name] {
			t.Errorf("%s: %s has %q, the table says %q; add or mend its row in table_test.go", name, where, found[name], table[name])
		}
	}
}
