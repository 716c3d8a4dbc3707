// Package arch holds the rules about imports between packages, and checks them over the whole
// module.
package arch

import (
	"slices"
	"strings"
)

// Module is the module's path.
const Module = "github.com/octavo-books/octavo/"

// rule says what the packages below a folder may import, directly or through packages of this
// module. allowed is called for every such import; paths of this module come without its name.
type rule struct {
	name       string
	transitive bool // applies to indirect imports too
	applies    func(pkg string) bool
	allowed    func(pkg, imported string) bool
}

// pureStd lists the standard packages that the domain may import: none that does IO, reads the
// clock or runs concurrently.
var pureStd = strings.Fields(`bytes cmp crypto crypto/ecdh crypto/ecdsa crypto/ed25519 crypto/elliptic crypto/hmac crypto/rsa crypto/sha1 crypto/sha256 crypto/sha512
	crypto/subtle embed
	encoding/base32 encoding/base64 encoding/binary encoding/hex encoding/json errors fmt hash hash/crc32 io iter maps math math/big math/bits
	net/netip net/url regexp slices sort strconv strings sync time unicode unicode/utf8 unicode/utf16`)

// outsideCore lists the standard packages that a use case must reach through a port.
var outsideCore = strings.Fields(`crypto/rand database/sql log math/rand math/rand/v2 net net/http net/smtp os os/exec os/signal
	path/filepath plugin syscall unsafe`)

// unicodeForms lists the packages of golang.org/x/text that the core may import: normal forms,
// without the language tables of other packages.
var unicodeForms = strings.Fields(`golang.org/x/text/runes golang.org/x/text/transform golang.org/x/text/unicode/norm`)

// encodings is the tree of golang.org/x/text that files in other encodings are read with.
const encodings = "golang.org/x/text/encoding"

// technology assigns third-party modules to the only adapter that may import them.
var technology = map[string][]string{
	"gorm.io/":                      {"adapters/gormstore"},
	"go.opentelemetry.io/":          {"adapters/telemetry"},
	"modernc.org/":                  {"adapters/gormstore"},
	"github.com/pressly/goose":      {"adapters/gormstore"},
	"github.com/jackc/pgx":          {"adapters/gormstore", "adapters/pgsignals"},
	"github.com/redis/":             {"adapters/redisstore", "adapters/queue"},
	"github.com/nats-io/":           {"adapters/queue"},
	"github.com/gin-gonic/":         {"adapters/ginserver", "adapters/rest", "adapters/web", "cmd/assembly"},
	"github.com/getkin/kin-openapi": {"adapters/rest"},
	"github.com/99designs/gqlgen":   {"adapters/graph"},
	"github.com/vektah/gqlparser":   {"adapters/graph"},
	"github.com/golang-jwt/":        {"adapters/token"},
	"github.com/wneessen/go-mail":   {"adapters/mail"},
	"github.com/yuin/goldmark":      {"adapters/markdown"},
	"github.com/prometheus/":        {"adapters/metrics"},
	"github.com/coreos/go-oidc":     {"adapters/oidcclient"},
	"golang.org/x/oauth2":           {"adapters/oidcclient"},
	"golang.org/x/crypto/acme":      {"adapters/acme"},
	"golang.org/x/net/http2":        {"adapters/ginserver"},
	"github.com/crewjam/saml":       {"adapters/samlsp"}, // XML of strangers is parsed nowhere else
	"github.com/russellhaering/":    {"adapters/samlsp"},
	"github.com/beevik/etree":       {"adapters/samlsp"},
	"github.com/mileusna/useragent": {"adapters/useragent"},
	"github.com/go-webauthn/":       {"adapters/passkey"},
	"rsc.io/qr":                     {"adapters/qrcode"},
	"github.com/minio/minio-go":     {"adapters/blobs3"},
	"github.com/SherClockHolmes/":   {"adapters/webpush"},
	"golang.org/x/image":            {"adapters/picture"},
	"github.com/alecthomas/kong":    {"cmd"},
	"go.uber.org/fx":                {"cmd/assembly"},

	"github.com/klauspost/compress/gzhttp": {"adapters/httpx"},
}

// drivingAdapters may import adapters/httpx, which they share.
var drivingAdapters = []string{"graph", "rest", "web", "ginserver", "operations", "metrics", "inboxhttp", "inspector", "openidhttp", "scimhttp"}

// connectingAdapters may import adapters/outbound, which checks where they connect to.
var connectingAdapters = []string{"cachepurge", "clientassertion", "forward", "logout", "oidcclient", "samlsp", "webpush"}

// fileAdapters may import adapters/yamllist, which reads files of lists.
var fileAdapters = []string{"providerfile", "rulefile", "sourcefile"}

// composed are adapters for outsiders that put others together, as cmd/assembly does for the
// program.
var composed = map[string][]string{"adapters/webhookdurable": {"adapters/filelock", "adapters/gormstore", "adapters/system"}}

// forOutsiders are imported by other programs, so they may not import third-party modules.
var forOutsiders = []string{"application/receiver", "adapters/webhookhttp"}

// components have rooms: their folders, with the package of each that lists them.
var components = map[string]string{"application/market": "rooms", "application/auth": "authrooms", "adapters/web": "webrooms"}

// marketStore opens the rooms below its folder.
const marketStore = "adapters/gormstore/marketstore"

// isRoom reports whether a package is a room of a component.
func isRoom(pkg string) bool {
	list, ok := components[top(pkg)]
	return ok && pkg != top(pkg)+"/"+list
}

// roomOf returns the first three elements: the room that a package is or belongs to.
func roomOf(pkg string) string {
	parts := strings.SplitN(pkg, "/", 4)
	return strings.Join(parts[:min(3, len(parts))], "/")
}

var rules = []rule{
	{
		name:       "domain imports pure packages, the Unicode forms and encodings of golang.org/x/text and domain only",
		transitive: true,
		applies:    func(pkg string) bool { return within(pkg, "domain") },
		allowed: func(_, to string) bool {
			return within(to, "domain") || slices.Contains(pureStd, to) || slices.Contains(unicodeForms, to) || within(to, encodings)
		},
	},
	{
		name:       "application imports the standard library without IO, and domain; never a sibling",
		transitive: true,
		applies:    func(pkg string) bool { return within(pkg, "application") },
		allowed: func(pkg, to string) bool {
			return within(to, "domain") || within(to, top(pkg)) || slices.Contains(unicodeForms, to) || within(to, encodings) ||
				isStd(to) && !slices.Contains(outsideCore, to)
		},
	},
	{
		name:       "a room knows no other room: they meet in the package of their component, and one package lists them",
		transitive: true,
		applies:    isRoom,
		allowed: func(pkg, to string) bool {
			return !within(to, top(pkg)) || to == top(pkg) || pkg != top(pkg) && within(to, roomOf(pkg))
		},
	},
	{
		name:       "a room of the market's store knows no other room, and only marketrows beside it",
		transitive: true,
		applies:    func(pkg string) bool { return strings.HasPrefix(pkg, marketStore+"/") },
		allowed: func(pkg, to string) bool {
			return !within(to, marketStore) || to == pkg || to == marketStore+"/marketrows"
		},
	},
	{
		name:    "an adapter knows no sibling, and never cmd or test",
		applies: func(pkg string) bool { return within(pkg, "adapters") },
		allowed: func(pkg, to string) bool {
			switch {
			case within(to, "cmd"), within(to, "test"):
				return false
			case within(to, "adapters/httpx"):
				return slices.Contains(drivingAdapters, strings.TrimPrefix(top(pkg), "adapters/")) || top(pkg) == "adapters/httpx"
			case slices.Contains(composed[top(pkg)], top(to)):
				return true
			case within(to, "adapters/outbound"):
				return slices.Contains(connectingAdapters, strings.TrimPrefix(top(pkg), "adapters/"))
			case within(to, "adapters/yamllist"):
				return slices.Contains(fileAdapters, strings.TrimPrefix(top(pkg), "adapters/"))
			case within(to, "adapters"):
				return top(to) == top(pkg)
			}
			return true
		},
	},
	{
		name:       "what outsiders import brings no third party along",
		transitive: true,
		applies: func(pkg string) bool {
			return slices.ContainsFunc(forOutsiders, func(f string) bool { return within(pkg, f) })
		},
		allowed: func(_, to string) bool { return isStd(to) || isOurs(to) || slices.Contains(unicodeForms, to) },
	},
	{
		name:    "a technology has one adapter",
		applies: func(pkg string) bool { return !within(pkg, "test") },
		allowed: func(pkg, to string) bool {
			for prefix, homes := range technology {
				if strings.HasPrefix(to, prefix) {
					return slices.ContainsFunc(homes, func(h string) bool { return within(pkg, h) })
				}
			}
			return true
		},
	},
	{
		name:       "settings, the doctor, backups, sources of webhooks and the demo do without fx, which only the assembly and its commands know",
		transitive: true,
		applies: func(pkg string) bool {
			return within(pkg, "cmd/config") || within(pkg, "cmd/doctor") || within(pkg, "cmd/demo") || within(pkg, "cmd/backup") || within(pkg, "cmd/sources")
		},
		allowed: func(pkg, to string) bool {
			switch {
			case strings.HasPrefix(to, "go.uber.org/fx"), strings.HasPrefix(to, "go.uber.org/dig"), within(to, "test"):
				return false
			case within(to, "cmd"):
				return within(to, "cmd/config") || within(to, "cmd/backup") // the doctor looks for the photos a backup copies
			}
			return true
		},
	},
	{
		name:       "commands know no other commands, and only terminal beside them",
		transitive: true,
		applies:    func(pkg string) bool { return strings.HasPrefix(pkg, "cmd/octavo/") },
		allowed: func(pkg, to string) bool {
			return !within(to, "cmd/octavo") || to == pkg || to == "cmd/octavo/terminal"
		},
	},
	{
		name:    "only cmd reads the documents in the root folder",
		applies: func(pkg string) bool { return isOurs(pkg) && !within(pkg, "cmd") && !within(pkg, "test") },
		allowed: func(_, to string) bool { return to != strings.TrimSuffix(Module, "/") },
	},
	{
		name:    "only cmd imports cmd",
		applies: func(pkg string) bool { return !within(pkg, "cmd") && !within(pkg, "test") },
		allowed: func(_, to string) bool { return !within(to, "cmd") },
	},
}

// within reports whether path is the folder or lies below it.
func within(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// top is the first two elements: the package that a sub-package belongs to.
func top(pkg string) string {
	parts := strings.SplitN(pkg, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

func isOurs(path string) bool {
	return slices.ContainsFunc([]string{"domain", "application", "adapters", "cmd", "test"}, func(f string) bool { return within(path, f) })
}

// isStd reports whether the first element has no dot and is not a folder of this module.
func isStd(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && !isOurs(path)
}
