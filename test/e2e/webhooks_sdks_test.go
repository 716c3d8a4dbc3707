package e2e_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/gobuild"
	"github.com/octavo-books/octavo/test/servers"
)

// sdks is a program that signs and verifies with the libraries of senders.
type sdks struct {
	t       *testing.T
	tasks   io.Writer
	results *json.Decoder
}

type sdkTask struct {
	Library, Do, Secret, ID, Body string

	URL     string // that was called, for Twilio
	Headers map[string]string
}

type sdkResult struct {
	Headers map[string]string
	Valid   bool
}

func startSDKs(t *testing.T, program string, args ...string) *sdks {
	t.Helper()
	in, out := piped(t, exec.CommandContext(t.Context(), program, args...))
	return &sdks{t, in, json.NewDecoder(bufio.NewReader(out))}
}

func (s *sdks) do(task sdkTask) (r sdkResult) {
	s.t.Helper()
	if err := json.NewEncoder(s.tasks).Encode(task); err != nil {
		s.t.Fatal(err)
	}
	if err := s.results.Decode(&r); err != nil {
		s.t.Fatalf("%s of %s: %v", task.Do, task.Library, err)
	}
	return r
}

// nodeSDKs are the libraries for Node.
func nodeSDKs(t *testing.T) *sdks {
	t.Helper()
	node := servers.Need(t, "Node", "apt-get install nodejs", "node")
	return startSDKs(t, node, "../sdks/sdks.cjs", fromNPM(t, "sdks"))
}

// fromNPM returns the folder with the packages of a list in test/tools/npm, which are fetched once on a
// machine: by test/tools/setup.sh, before the tests.
func fromNPM(t *testing.T, name string) (folder string) {
	t.Helper()
	servers.Need(t, "npm", "apt-get install npm", "npm")
	list := filepath.Join("../tools/npm", name+".txt")
	packages, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(packages)
	folder = filepath.Join(cache, "octavo-test", name+"-"+hex.EncodeToString(sum[:8]))
	if out, err := exec.CommandContext(t.Context(), "sh", "../tools/npm.sh", list, folder).CombinedOutput(); err != nil {
		t.Fatalf("fetching packages from npm: %v: %s", err, out)
	}
	return folder
}

// goSDKs are the libraries for Go.
func goSDKs(t *testing.T) *sdks {
	t.Helper()
	program := filepath.Join(t.TempDir(), "sdks")
	if err := gobuild.Program(t.Context(), "", program, "-modfile=../tools/sdks.mod", "../sdks/sdks.go"); err != nil {
		t.Fatal(err)
	}
	return startSDKs(t, program)
}

// sdkLibraries are the libraries of each program with the sender that they are for, and
// whether they can sign, too.
var sdkLibraries = map[string][]struct {
	name   string
	sender *webhook.Sender
	signs  bool
}{
	"node": {
		{"octokit", webhook.GitHub, true}, {"octokit-webhooks", webhook.GitHub, true}, {"stripe-node", webhook.Stripe, true}, {"standardwebhooks", webhook.Standard, true},
		{"slack-bolt", webhook.Slack, false}, {"shopify-api", webhook.Shopify, true}, {"svix", webhook.Svix, true}, {"razorpay", webhook.Razorpay, false},
		{"twilio", webhook.Twilio, true},
	},
	"go": {
		{"go-github", webhook.GitHub, false}, {"stripe-go", webhook.Stripe, true}, {"standard-webhooks", webhook.Standard, true}, {"slack-go", webhook.Slack, false},
	},
}

// sdkSecret is a secret that all of the libraries accept.
const sdkSecret = "whsec_YSBzZWNyZXQgb2Ygc2l4dGVlbiBvciBtb3Jl"

func TestTheLibrariesOfSendersAndOctavoVerifyEachOther(t *testing.T) {
	t.Parallel()
	for program, start := range map[string]func(*testing.T) *sdks{"node": nodeSDKs, "go": goSDKs} {
		t.Run(program, func(t *testing.T) {
			if program == "go" {
				deep.Only(t, "builds the libraries of all senders, which those for Node stand for")
			}
			s := start(t)
			x := startSDKSources(t)
			for _, l := range sdkLibraries[program] {
				if l.sender == webhook.Twilio {
					x.acceptsTheForm(s, l.name)
					continue
				}
				if l.signs {
					x.acceptsWhatIsSigned(s, l.name, l.sender)
				} else {
					x.acceptsWhatOctavoSigns(l.name, l.sender)
				}
				x.signsWhatIsAccepted(s, l.name, l.sender)
			}
			x.passesOnWhatIsAccepted(s, program)
		})
	}
}

// sdkRun is a service with a source for each sender, a target that keeps what the service forwards
// and one that keeps what `octavo webhooks listen` relays.
type sdkRun struct {
	sourcesRun
	forwarded, relayed chan sdkTask
	accepted           int
}

// recorder keeps what it gets as a task to verify it.
func (x *sdkRun) recorder(into chan sdkTask) string {
	return newServer(x.t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		task := sdkTask{Do: "verify", Body: string(body), Headers: map[string]string{}}
		for name := range r.Header {
			task.Headers[name] = r.Header.Get(name)
		}
		into <- task
	}))
}

func startSDKSources(t *testing.T) *sdkRun {
	t.Helper()
	x := &sdkRun{sourcesRun: sourcesRun{inboxRun: inboxRun{t: t}}, forwarded: make(chan sdkTask, 100), relayed: make(chan sdkTask, 100)}
	folder := t.TempDir()
	var sources strings.Builder
	for _, sender := range webhook.Senders() {
		if _, err := sender.Key(sdkSecret); err != nil {
			continue // its key is of another form
		}
		fmt.Fprintf(&sources, "- {name: of-%s, path: /hooks/%s, sender: %s, secrets: [%s]}\n", sender.Name(), sender.Name(), sender.Name(), sdkSecret)
	}
	files := map[string]string{"sources.yaml": sources.String(), "rules.yaml": "- {match: '*', url: '" + x.recorder(x.forwarded) + "', secret: " + ruleSecret + "}\n"}
	for name, text := range files {
		write(t, filepath.Join(folder, name), text)
	}
	x.Server = e2e.StartWith(t, []string{"WEBHOOK_SOURCES=" + filepath.Join(folder, "sources.yaml"), "WEBHOOK_RULES=" + filepath.Join(folder, "rules.yaml"), "WEBHOOK_API_TOKEN=token of the operator"}, "webhooks")
	listen := x.Begin("webhooks", "listen", "--from", x.URL, "--to", x.recorder(x.relayed), "--sign", "none")
	x.until("listen does not listen", func() bool { return strings.Contains(listen.Output(), "relaying what") })
	return x
}

// sdkBody has event and id for the senders that have them in the body, and text that a
// library which decodes and encodes again would change.
func sdkBody(id string) string {
	return fmt.Sprintf(`{"id":%q, "event_id":%q,"type":"invoice.paid","object":"event","text":"Zo\u00eb – é <&> \\","n":1.0}`, id, id)
}

// acceptsWhatIsSigned requires that the service stores what the library signs and refuses
// each change of it.
func (x *sdkRun) acceptsWhatIsSigned(s *sdks, library string, sender *webhook.Sender) {
	x.t.Helper()
	id := "by-" + library
	task := sdkTask{Library: library, Do: "sign", Secret: sdkSecret, ID: id, Body: sdkBody(id)}
	headers := s.do(task).Headers
	maps.Copy(headers, namesOf(sender, id))
	path := "/hooks/" + sender.Name()
	for change, c := range x.tampered(task.Body, headers) {
		if status, answer := x.post(path, c.body, c.headers); status != http.StatusBadRequest {
			x.t.Errorf("%s with %s: %d %s, want %d", library, change, status, answer, http.StatusBadRequest)
		}
	}
	if status, answer := x.post(path, task.Body, headers); status != http.StatusOK || answer != "ok" {
		x.t.Fatalf("%s: %d %s", library, status, answer)
	}
	if out := x.cli("show", "--source", "of-"+sender.Name(), id); !strings.Contains(out, task.Body) {
		x.t.Errorf("%s is stored as %s", library, out)
	}
	x.accepted++
}

const twilioPath = "/hooks/twilio"

// acceptsTheForm requires that the service stores the form that Twilio's library signs with its
// URL, and refuses another one.
func (x *sdkRun) acceptsTheForm(s *sdks, library string) {
	x.t.Helper()
	task := sdkTask{Library: library, Do: "sign", Secret: sdkSecret, Body: "Body=an+invoice+%26+more&MessageStatus=sent", URL: x.URL + twilioPath}
	headers := s.do(task).Headers
	headers["Content-Type"] = "application/x-www-form-urlencoded"
	if status, answer := x.post(twilioPath, task.Body+"&To=x", headers); status != http.StatusBadRequest {
		x.t.Errorf("%s with another field: %d %s", library, status, answer)
	}
	if status, answer := x.post(twilioPath, task.Body, headers); status != http.StatusOK {
		x.t.Fatalf("%s: %d %s", library, status, answer)
	}
	x.accepted++
}

// namesOf are the event and the id that some senders have in headers beside the signature.
func namesOf(sender *webhook.Sender, id string) map[string]string {
	switch sender {
	case webhook.GitHub:
		return map[string]string{"X-GitHub-Event": "issues", "X-GitHub-Delivery": id}
	case webhook.Razorpay:
		return map[string]string{"X-Razorpay-Event-Id": id}
	case webhook.Shopify:
		return map[string]string{"X-Shopify-Topic": "orders/create", "X-Shopify-Webhook-Id": id}
	}
	return nil
}

type tampered struct {
	body    string
	headers map[string]string
}

// tampered changes one thing at a time: the body, or a header of the signature.
func (x *sdkRun) tampered(body string, headers map[string]string) map[string]tampered {
	all := map[string]tampered{
		"another byte in the body": {strings.Replace(body, "invoice.paid", "invoice.paie", 1), headers},
		"a space after the body":   {body + " ", headers},
	}
	for name, value := range headers {
		lower := strings.ToLower(name)
		if !strings.Contains(lower, "signature") && !strings.Contains(lower, "hmac") && !strings.Contains(lower, "timestamp") {
			continue
		}
		changed := maps.Clone(headers)
		changed[name] = value[:len(value)-2] + map[bool]string{true: "00", false: "11"}[!strings.HasSuffix(value, "00")]
		all["another "+name] = tampered{body, changed}
	}
	return all
}

// signsWhatIsAccepted requires that the library verifies what Octavo signs as the sender,
// and refuses it tampered with.
func (x *sdkRun) signsWhatIsAccepted(s *sdks, library string, sender *webhook.Sender) {
	x.t.Helper()
	key, err := sender.Key(sdkSecret)
	if err != nil {
		x.t.Fatal(err)
	}
	id := "for-" + library
	signed, err := key.SignRequest(webhook.Event{ID: id, Name: "issues", Payload: []byte(sdkBody(id))}, time.Now())
	if err != nil {
		x.t.Fatal(err)
	}
	headers := map[string]string{}
	for name, values := range signed.Header {
		headers[name] = values[0]
	}
	task := sdkTask{Library: library, Do: "verify", Secret: sdkSecret, Body: string(signed.Body), Headers: headers}
	if !s.do(task).Valid {
		x.t.Errorf("%s refuses what Octavo signs: %v", library, headers)
	}
	task.Body += " "
	if s.do(task).Valid {
		x.t.Errorf("%s verifies another body", library)
	}
}

// acceptsWhatOctavoSigns sends a delivery for a library that cannot sign.
func (x *sdkRun) acceptsWhatOctavoSigns(library string, sender *webhook.Sender) {
	x.t.Helper()
	key, err := sender.Key(sdkSecret)
	if err != nil {
		x.t.Fatal(err)
	}
	id := "by-octavo-for-" + library
	signed, err := key.SignRequest(webhook.Event{ID: id, Name: "issues", Payload: []byte(sdkBody(id))}, time.Now())
	if err != nil {
		x.t.Fatal(err)
	}
	headers := namesOf(sender, id)
	if headers == nil {
		headers = map[string]string{}
	}
	for name, values := range signed.Header {
		headers[name] = values[0]
	}
	if status, answer := x.post("/hooks/"+sender.Name(), string(signed.Body), headers); status != http.StatusOK {
		x.t.Fatalf("%s: %d %s", sender.Name(), status, answer)
	}
	x.accepted++
}

// passesOnWhatIsAccepted requires that the libraries of the sender verify every forward and
// every relayed delivery with the sender's secret, and that of Standard Webhooks the forwards with
// the rule's.
func (x *sdkRun) passesOnWhatIsAccepted(s *sdks, program string) {
	x.t.Helper()
	for range x.accepted {
		forward, relayed := x.next(x.forwarded), x.next(x.relayed)
		for _, l := range sdkLibraries[program] {
			if l.sender == webhook.Standard && forward.Headers["X-Octavo-Source"] != "of-twilio" { // it parses JSON
				x.verifies(s, forward, l.name, ruleSecret)
			}
			if forward.Headers["X-Octavo-Source"] == "of-"+l.sender.Name() && l.sender != webhook.Standard {
				x.verifies(s, forward, l.name, sdkSecret)
			}
			if relayed.Headers["X-Octavo-Source"] == "of-"+l.sender.Name() {
				x.verifies(s, relayed, l.name, sdkSecret)
			}
		}
	}
}

func (x *sdkRun) next(from chan sdkTask) sdkTask {
	x.t.Helper()
	select {
	case task := <-from:
		return task
	case <-time.After(time.Minute):
		x.t.Fatal("not every delivery is passed on")
		return sdkTask{}
	}
}

func (x *sdkRun) verifies(s *sdks, task sdkTask, library, secret string) {
	x.t.Helper()
	task.Library, task.Secret, task.URL = library, secret, x.URL+twilioPath
	if !s.do(task).Valid {
		x.t.Errorf("%s refuses %v", library, task)
	}
	task.Body = strings.Replace(task.Body, "invoice", "invoicf", 1)
	if s.do(task).Valid {
		x.t.Errorf("%s verifies another body", library)
	}
}
