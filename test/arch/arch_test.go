package arch_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/arch"
)

func TestNoPackageImportsWhatItsFolderMayNot(t *testing.T) {
	for _, violation := range arch.Check(load(t)) {
		t.Error(violation)
	}
}

const marketRooms = "adapters/gormstore/marketstore"

func TestAForbiddenImportIsReportedWithItsChain(t *testing.T) {
	for name, c := range map[string]struct {
		from, to, chain string
	}{
		"a clock in the domain":           {"domain/book", "os", "domain/book -> os"},
		"a third party in the domain":     {"domain/book", "github.com/google/uuid", "domain/book -> github.com/google/uuid"},
		"languages in the domain":         {"domain/text", "golang.org/x/text/cases", "domain/text -> golang.org/x/text/cases"},
		"an adapter in a use case":        {"application/market", "adapters/gormstore", "application/market -> adapters/gormstore"},
		"a sibling use case":              {"application/market", "application/auth", "application/market -> application/auth"},
		"another room of the market":      {"application/market/talking", "application/market/guarding", "application/market/talking -> application/market/guarding"},
		"a room in the market itself":     {"application/market", "application/market/talking", "application/market -> application/market/talking"},
		"the store of another room":       {marketRooms + "/talkingstore", marketRooms + "/guardingstore", marketRooms + "/talkingstore -> " + marketRooms + "/guardingstore"},
		"the market's store in a room":    {marketRooms + "/talkingstore", marketRooms, marketRooms + "/talkingstore -> " + marketRooms},
		"another room of accounts":        {"application/auth/external", "application/auth/provider", "application/auth/external -> application/auth/provider"},
		"HTTP in a use case":              {"application/auth", "net/http", "application/auth -> net/http"},
		"a sibling adapter":               {"adapters/rest", "adapters/gormstore/marketstore", "adapters/rest -> adapters/gormstore/marketstore"},
		"outgoing connections in a page":  {"adapters/web", "adapters/outbound", "adapters/web -> adapters/outbound"},
		"pages of another room":           {"adapters/web/buyingpages", "adapters/web/sellingpages", "adapters/web/buyingpages -> adapters/web/sellingpages"},
		"wiring in an adapter":            {"adapters/web", "cmd/assembly", "adapters/web -> cmd/assembly"},
		"fx outside the assembly":         {"adapters/web", "go.uber.org/fx", "adapters/web -> go.uber.org/fx"},
		"fx in the settings":              {"cmd/config", "go.uber.org/fx", "cmd/config -> go.uber.org/fx"},
		"wiring in the doctor":            {"cmd/doctor", "cmd/assembly", "cmd/doctor -> cmd/assembly"},
		"the doctor in the settings":      {"cmd/config", "cmd/doctor", "cmd/config -> cmd/doctor"},
		"SAML outside its adapter":        {"adapters/web", "github.com/crewjam/saml", "adapters/web -> github.com/crewjam/saml"},
		"randomness in a use case":        {"application/market", "math/rand/v2", "application/market -> math/rand/v2"},
		"wiring in the demo":              {"cmd/demo", "cmd/assembly", "cmd/demo -> cmd/assembly"},
		"commands in other commands":      {"cmd/octavo/webhookcommands", "cmd/octavo/backupcommands", "cmd/octavo/webhookcommands -> cmd/octavo/backupcommands"},
		"the documents in an adapter":     {"adapters/markdown", "github.com/octavo-books/octavo", "adapters/markdown -> github.com/octavo-books/octavo"},
		"GORM outside its adapter":        {"adapters/rest", "gorm.io/gorm", "adapters/rest -> gorm.io/gorm"},
		"a third party for outsiders":     {"adapters/webhookhttp", "github.com/gin-gonic/gin", "adapters/webhookhttp -> github.com/gin-gonic/gin"},
		"a third party behind the domain": {"domain/webhook", "go.yaml.in/yaml/v3", "adapters/webhookhttp -> domain/webhook -> go.yaml.in/yaml/v3"},
	} {
		t.Run(name, func(t *testing.T) {
			g := arch.Graph{"adapters/webhookhttp": {"domain/webhook"}}
			g[c.from] = append(g[c.from], c.to)
			found := arch.Check(g)
			if !slices.ContainsFunc(found, func(line string) bool { return strings.HasSuffix(line, ": "+c.chain) }) {
				t.Errorf("not found: %s\nfound: %s", c.chain, strings.Join(found, "\n"))
			}
		})
	}
}

func TestTheUsualImportsAreAllowed(t *testing.T) {
	g := arch.Graph{
		"domain/book":                    {"strings", "time", "golang.org/x/text/unicode/norm", "domain/fault"},
		"application/market":             {"context", "log/slog", "domain/book"},
		"application/market/talking":     {"application/market", "domain/conversation"},
		"application/market/rooms":       {"application/market", "application/market/talking", "application/market/guarding"},
		"adapters/rest":                  {"net/http", "github.com/gin-gonic/gin", "application/market", "adapters/rest/restgen", "adapters/httpx"},
		"adapters/gormstore/marketstore": {"gorm.io/gorm", "adapters/gormstore", "adapters/gormstore/outboxstore", marketRooms + "/talkingstore"},
		marketRooms + "/talkingstore":    {"gorm.io/gorm", "adapters/gormstore", marketRooms + "/marketrows"},
		"cmd/config":                     {"adapters/token"},
		"cmd/doctor":                     {"cmd/config", "adapters/redisstore"},
		"cmd/assembly":                   {"go.uber.org/fx", "adapters/rest", "cmd/config", "cmd/doctor"},
		"cmd/demo":                       {"math/rand/v2", "adapters/gormstore/demostore"},
		"cmd/octavo":                     {"cmd/assembly", "cmd/config", "cmd/demo", "cmd/doctor", "cmd/octavo/webhookcommands"},
		"cmd/octavo/webhookcommands":     {"cmd/octavo/terminal", "cmd/config"},
		"test/contract":                  {"application/market", "test/fake"},
	}
	if found := arch.Check(g); len(found) > 0 {
		t.Errorf("refused: %s", strings.Join(found, "\n"))
	}
}

// doubles are what the tests of domain and application may use besides it: nothing of it does IO.
var doubles = []string{"test/fake", "test/meminbox", "test/must", "test/writes"}

func TestTheTestsOfDomainAndApplicationUseNoAdapter(t *testing.T) {
	for _, p := range list(t) {
		from := strings.TrimPrefix(p.ImportPath, arch.Module)
		if !strings.HasPrefix(from, "domain/") && !strings.HasPrefix(from, "application/") {
			continue
		}
		for _, to := range slices.Concat(p.TestImports, p.XTestImports) {
			to, ours := strings.CutPrefix(to, arch.Module)
			outside := strings.HasPrefix(to, "adapters/") || strings.HasPrefix(to, "cmd/") || strings.HasPrefix(to, "test/")
			if ours && outside && !slices.Contains(doubles, to) || to == "database/sql" || to == "net" || to == "os/exec" {
				t.Errorf("a test of %s imports %s", from, to)
			}
		}
	}
}

// goPackage is a package of the module, as go list prints it.
type goPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func list(t *testing.T) (all []goPackage) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", arch.Module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("only %d packages found", len(all))
	}
	return all
}

// load returns the imports of every package of the module.
func load(t *testing.T) arch.Graph {
	t.Helper()
	g := arch.Graph{}
	for _, p := range list(t) {
		for i, to := range p.Imports {
			p.Imports[i] = strings.TrimPrefix(to, arch.Module)
		}
		g[strings.TrimPrefix(p.ImportPath, arch.Module)] = p.Imports
	}
	return g
}
