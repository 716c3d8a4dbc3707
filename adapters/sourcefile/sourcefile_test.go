package sourcefile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/sourcefile"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// write writes files into a folder and returns the path of the first, sources.yaml.
func write(t *testing.T, texts map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range texts {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return filepath.Join(folder, "sources.yaml")
}

func TestEveryFieldOfASourceIsLoaded(t *testing.T) {
	path := write(t, map[string]string{"shop.secret": "\ufeffwhsec_one\n\n  whsec_two \n", "sources.yaml": `# three sources
- name: ci
  path: /hooks/ci/
  sender: github
  secrets: ["now", 123456]
- {name: shop, path: /hooks/shop, sender: stripe, secretFile: shop.secret, tolerance: 10m, maxBody: 4096}
- {name: my.printer, path: /p, sender: custom, signatureHeader: x-sig, scheme: token, prefix: "Bearer ", eventField: kind, idHeader: X-Id, secrets: [s]}
`})
	got, err := sourcefile.Load(path, 1)
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	ci, shop, printer := got[0], got[1], got[2]
	if ci.Name != "ci" || ci.Path != "/hooks/ci" || ci.Sender != webhook.GitHub || len(ci.Secrets) != 2 || ci.Secrets[1].Name != "ci#2" || ci.Secrets[1].Value != "123456" {
		t.Errorf("got %+v", ci)
	}
	if shop.MaxBody != 4096 || len(shop.Secrets) != 2 || shop.Secrets[0].Value != "whsec_one" || shop.Secrets[1].Value != "whsec_two" || shop.Sender.Name() != "stripe" || shop.Sender == webhook.Stripe {
		t.Errorf("got %+v", shop)
	}
	r := webhook.Request{Header: map[string][]string{"X-Sig": {"Bearer s"}, "X-Id": {"7"}}, Body: []byte(`{"kind":"printed"}`)}
	key, err := printer.Sender.Key(printer.Secrets[0].Value)
	if err != nil || !key.Verify(r, time.Time{}) {
		t.Errorf("the custom sender does not verify: %v", err)
	}
	if e, err := printer.Sender.Event(r); err != nil || e.Name != "printed" || e.ID != "7" {
		t.Errorf("got %+v, %v", e, err)
	}
}

func TestAFileMayHaveNoSources(t *testing.T) {
	for _, text := range []string{"", "# nothing yet\n", "[]", "~"} {
		if got, err := sourcefile.Parse([]byte(text), "sources.yaml", 1); err != nil || len(got) != 0 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// theSecret must not be in any error.
const theSecret = "tulip-bulb"

const good = "- name: ci\n  path: /ci\n  sender: github\n  secrets: [" + theSecret + "]\n"

// custom is a source of a custom sender, up to the fields that it may also have.
const custom = "- name: ci\n  path: /ci\n  sender: custom\n  secrets: [" + theSecret + "]\n  signature: {header: X-Sig, encoding: hex}\n"

var mistakes = map[string]struct{ text, want string }{
	"an unknown field":         {good + "  sercet: x\n", `sources.yaml: line 5: source 1 (ci): unknown field "sercet"`},
	"a field twice":            {good + "  path: /x\n", "line 5: source 1 (ci): path is given twice"},
	"a merge key":              {good + "  <<: {}\n", `unknown field "<<"`},
	"no name":                  {"- path: /ci\n  sender: github\n", "line 1: source 1: name is missing"},
	"a name with a space":      {strings.Replace(good, "ci", "c i", 1), `line 1: source 1: the name "c i"`},
	"a long name":              {strings.Replace(good, "ci", strings.Repeat("n", 65), 1), "longer than 64"},
	"a reserved name":          {strings.Replace(good, "ci", "default", 1), "default is Octavo's own"},
	"no path":                  {"- name: ci\n  sender: github\n", "source 1 (ci): path is missing"},
	"a path with no slash":     {strings.Replace(good, "/ci", "ci", 1), `line 2: source 1 (ci): "ci" is not a path`},
	"the root":                 {strings.Replace(good, "/ci", "/", 1), `"/" is not a path`},
	"a path with a pattern":    {strings.Replace(good, "/ci", "/a/:b", 1), "is not a path"},
	"a path with dots":         {strings.Replace(good, "/ci", "/a/../b", 1), "is not a path"},
	"a path with an escape":    {strings.Replace(good, "/ci", "/a%2Fb", 1), "is not a path"},
	"a path with a query":      {strings.Replace(good, "/ci", "/a?b", 1), "is not a path"},
	"no sender":                {"- name: ci\n  path: /ci\n", "sender is missing"},
	"an unknown sender":        {strings.Replace(good, "github", "gitub", 1), `line 3: source 1 (ci): "gitub" is not a sender; the senders are host, github`},
	"no secrets":               {"- name: ci\n  path: /ci\n  sender: github\n", "secrets or secretFile is missing"},
	"secrets in no list":       {strings.Replace(good, "["+theSecret+"]", theSecret, 1), "line 4: source 1 (ci): secrets is not a list"},
	"an empty list":            {strings.Replace(good, theSecret, "", 1), "at least one secret"},
	"an empty secret":          {strings.Replace(good, theSecret, theSecret+", ''", 1), "line 4: source 1 (ci): secrets is not a list of texts"},
	"a secret that is a list":  {strings.Replace(good, theSecret, "["+theSecret+"]", 1), "line 4: source 1 (ci): secrets is not a list of texts"},
	"both kinds of secrets":    {good + "  secretFile: x\n", "line 5: source 1 (ci): secrets and secretFile are both given"},
	"a file that is not":       {"- {name: ci, path: /ci, sender: github, secretFile: none}", "secretFile: open"},
	"an empty file":            {"- {name: ci, path: /ci, sender: github, secretFile: empty}", "empty has no secret"},
	"a key not in base64":      {strings.NewReplacer("github", "standard", theSecret, "whsec_%").Replace(good), "secret 1: whsec_ and whpk_ must be followed by a base64 key"},
	"tolerance without use":    {good + "  tolerance: 5m\n", "line 5: source 1 (ci): tolerance has no effect: github"},
	"no tolerance":             {strings.Replace(good, "github", "stripe", 1) + "  tolerance: 0s\n", `tolerance "0s" is not`},
	"a body limit in words":    {good + "  maxBody: 1MB\n", `maxBody "1MB" is not a number of bytes`},
	"a body limit too large":   {good + "  maxBody: 99999999\n", "from 1 to 26214400"},
	"custom fields elsewhere":  {good + "  scheme: token\n", "scheme is only for the sender custom"},
	"custom without a header":  {strings.Replace(good, "github", "custom", 1), "signatureHeader is missing"},
	"a variable without":       {strings.Replace(good, theSecret, "'"+theSecret+" ${NO_SUCH}'", 1), "line 4: source 1 (ci): secret 1 needs the environment variable NO_SUCH, which is not set"},
	"a bad template":           {custom + "  signed: '{bdy}'\n", "line 6: source 1 (ci): signed has the unknown part {bdy}"},
	"a bad block":              {custom + "  timestamp: {heder: X}\n", "line 6: source 1 (ci): timestamp has the unknown field \"heder\"; its fields are header, json"},
	"a block that is none":     {custom + "  event: X-Event\n", "line 6: source 1 (ci): event is not a block with header, json"},
	"a field of a block twice": {custom + "  key: {prefix: a, prefix: b}\n", "key.prefix is given twice"},
	"a list in a block":        {custom + "  key: {prefix: [a]}\n", "key.prefix is not a text"},
	"a list that is none":      {custom + "  bodies: form\n", "bodies is not a list of texts"},
	"two encodings":            {custom + "  encoding: base64\n", "encoding and signature.encoding are both given"},
	"a bad tolerance":          {custom + "  timestamp: {json: at, tolerance: 48h}\n", "line 6: source 1 (ci): timestamp: the tolerance 48h0m0s is not from 1s to 24h"},
	"a bad challenge":          {custom + "  challenge: {when: {json: a, query: b}}\n", "line 6: source 1 (ci): challenge: when needs exactly one"},
	"a bad status":             {custom + "  challenge: {when: {json: a}, answer: {status: ok}}\n", "answer.status is not a number"},
	"a bad dedupe":             {good + "  dedupe: often\n", "dedupe \"often\" is not none"},
	"an option elsewhere":      {good + "  verifyToken: x\n", "verifyToken is only for the sender meta"},
	"a name twice":             {good + strings.Replace(good, "/ci", "/x", 1), "line 5: source 2 (ci): the name is that of the source in line 1"},
	"a path twice":             {good + strings.Replace(good, "ci", "x", 1), "line 6: source 2 (x): the path /ci is that of the source in line 1"},
	"an entry that is none":    {"- " + theSecret, "line 1: source 1: it is not a source"},
	"no list":                  {"name: " + theSecret, "line 1: the file is not a list"},
	"no YAML":                  {"- name: [", "line 1"},
	"an unknown anchor":        {"- name: *" + theSecret, "unknown anchor"},
	"too many sources":         {"[" + strings.Repeat("{},", 1001) + "]", "1001 sources"},
	"too many secrets":         {strings.Replace(good, theSecret, strings.Repeat("s,", 17), 1), "17 secrets"},
}

func TestAMistakeIsOneLineThatNamesFileLineAndSourceAndNoSecret(t *testing.T) {
	for name, c := range mistakes {
		path := write(t, map[string]string{"sources.yaml": c.text, "empty": "\n"})
		_, err := sourcefile.Load(path, 1)
		switch {
		case err == nil:
			t.Errorf("%s is accepted", name)
		case !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path):
			t.Errorf("%s: %v; want %s", name, err, c.want)
		case strings.Contains(err.Error(), theSecret), strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: the error is several lines or shows a secret: %v", name, err)
		}
	}
}

func TestASecretComesFromTheEnvironment(t *testing.T) {
	t.Setenv("CI_SECRET", theSecret)
	sources, err := sourcefile.Parse([]byte(strings.Replace(good, theSecret, "'${CI_SECRET}', b", 1)), "sources.yaml", 1)
	if err != nil || len(sources) != 1 || sources[0].Secrets[0].Value != theSecret || sources[0].Secrets[1].Value != "b" {
		t.Errorf("%+v, %v", sources, err)
	}
}

// meetings is the sender of the documentation that has every kind of block.
const meetings = `- name: meetings
  path: /hooks/zoom
  sender: custom
  secrets: ["${MEETINGS_SECRET}"]
  key: {encoding: text, prefix: ""}
  signed: "v0:{header.X-Zm-Request-Timestamp}:{body}"
  algorithm: hmac-sha256
  signature: {header: X-Zm-Signature, prefix: "v0=", encoding: hex}
  timestamp: {header: X-Zm-Request-Timestamp, unit: s, tolerance: 5m}
  event: {json: event, else: {header: X-Event}}
  id: {json: payload.object.uuid}
  bodies: [object]
  dedupe: 30d
  challenge:
    - when: {json: event, equals: endpoint.url_validation}
      answer: {type: application/json, body: '{"plainToken":"{json.payload.plainToken}","encryptedToken":"{hmac_hex:json.payload.plainToken}"}'}
  secretHeaders: [X-Api-Key]
`

func TestACustomSenderIsDescribedInBlocks(t *testing.T) {
	t.Setenv("MEETINGS_SECRET", "hush")
	got := must.Get(sourcefile.Parse([]byte(meetings), "sources.yaml", 1))(t)
	s := got[0]
	if s.Secrets[0].Value != "hush" || s.Dedupe != 30*24*time.Hour || strings.Join(s.Sender.SecretHeaders(), ",") != "X-Api-Key" {
		t.Errorf("got %+v", s)
	}
	now := time.Unix(1795357925, 0)
	key := must.Get(s.Sender.Key("hush"))(t)
	r, err := key.SignRequest(webhook.Event{Payload: []byte(`{"event":"meeting.started","payload":{"object":{"uuid":"u/7=="}}}`)}, now)
	if err != nil || !key.Verify(r, now) || key.Verify(r, now.Add(6*time.Minute)) {
		t.Errorf("it signs %v, %v", r.Header, err)
	}
	if e, err := s.Sender.Event(r); err != nil || e.Name != "meeting.started" || e.ID != "u/7==" {
		t.Errorf("read as %+v, %v", e, err)
	}
	if found, signed := s.Sender.IsChallenge(webhook.Request{Body: []byte(`{"event":"endpoint.url_validation"}`)}); !found || !signed {
		t.Error("the challenge is not recognised")
	}
}

func TestAPresetHasItsOptionsBesideIt(t *testing.T) {
	t.Setenv("VERIFY_TOKEN", "mine")
	_, err := sourcefile.Parse([]byte(`- {name: a, path: /a, sender: meta, secrets: [s], verifyToken: "${VERIFY_TOKEN}"}
- {name: b, path: /b, sender: paypal, webhookId: WH-7}
- {name: c, path: /c, sender: graph, clientState: s}
- {name: d, path: /d, sender: sns, dedupe: none}
- {name: e, path: /e, sender: sns, secrets: ["arn:aws:sns:eu-west-1:1:t"], dedupe: 5m}
`), "sources.yaml", 16)
	if err == nil || !strings.Contains(err.Error(), "source 1 (a): secret 1 has 1 characters") {
		t.Fatalf("got %v", err)
	}
	got, err := sourcefile.Parse([]byte(`- {name: b, path: /b, sender: paypal, webhookId: WH-7}
- {name: c, path: /c, sender: graph, clientState: s}
- {name: d, path: /d, sender: sns, dedupe: none}
- {name: e, path: /e, sender: sns, secrets: ["arn:aws:sns:eu-west-1:1:t"], dedupe: 5m}
`), "sources.yaml", 16)
	if err != nil || len(got) != 4 || got[2].Dedupe != sourcefile.NoDedupe || got[3].Dedupe != 5*time.Minute {
		t.Fatalf("got %+v, %v", got, err)
	}
}

func TestAShortSecretIsRefusedWhereTheLengthIsRequired(t *testing.T) {
	_, err := sourcefile.Parse([]byte(good), "sources.yaml", 16)
	if err == nil || !strings.Contains(err.Error(), "sources.yaml: line 4: source 1 (ci): secret 1 has 10 characters, production needs at least 16") {
		t.Errorf("got %v", err)
	}
}

func TestALargeFileIsRefused(t *testing.T) {
	path := write(t, map[string]string{"sources.yaml": strings.Repeat("# \n", 1<<20)})
	if _, err := sourcefile.Load(path, 1); err == nil || !strings.Contains(err.Error(), "1048576 bytes") {
		t.Errorf("got %v", err)
	}
}

// Whatever a file contains, its sources are complete, and an error is one line.
func FuzzParse(f *testing.F) {
	for _, c := range mistakes {
		f.Add(c.text)
	}
	f.Add(meetings)
	f.Add(good + "- {name: b, path: /b, sender: custom, signatureHeader: X-Sig, scheme: token, secrets: [s]}")
	f.Fuzz(func(t *testing.T, text string) {
		sources, err := sourcefile.Parse([]byte(text), "/nowhere/sources.yaml", 1)
		if err != nil && (strings.Contains(err.Error(), "\n") || len(err.Error()) > 2000) {
			t.Errorf("the error is %q", err)
		}
		for _, s := range sources {
			if s.Name == "" || !strings.HasPrefix(s.Path, "/") || s.Sender == nil || len(s.Secrets) == 0 || s.Secrets[0].Value == "" && s.Sender.NeedsSecret() {
				t.Errorf("accepted %+v", s)
			}
		}
	})
}
