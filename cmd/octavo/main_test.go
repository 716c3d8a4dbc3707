package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

// cheapest is the lowest cost of hashing.
var cheapest = strconv.Itoa(hashing.MinCost)

// octavo runs the program in this process, in an environment of its own.
func octavo(t *testing.T, env map[string]string, args ...string) (out, errs string, code int) {
	t.Helper()
	return octavoAt(t, terminal.SystemClock{}, env, args...)
}

// octavoAt is octavo with a clock.
func octavoAt(t *testing.T, at terminal.Clock, env map[string]string, args ...string) (out, errs string, code int) {
	t.Helper()
	return octavoWith(t, terminal.Console{In: strings.NewReader(""), Clock: at}, env, args...)
}

// octavoReading is octavo with standard input.
func octavoReading(t *testing.T, in string, env map[string]string, args ...string) (out, errs string, code int) {
	t.Helper()
	return octavoWith(t, terminal.Console{In: strings.NewReader(in), Clock: terminal.SystemClock{}}, env, args...)
}

func octavoWith(t *testing.T, c terminal.Console, env map[string]string, args ...string) (out, errs string, code int) {
	t.Helper()
	for _, name := range append(config.Secrets, "PORT", "HOST", "OCTAVO_ENV", "BASE_URL", "DATA_DIR", "LOG_LEVEL") {
		t.Setenv(name, "")
		t.Setenv(name+"_FILE", "")
	}
	t.Setenv("DATA_DIR", filepath.Join(t.TempDir(), "data"))
	for name, value := range env {
		t.Setenv(name, value)
	}
	var o, e bytes.Buffer
	c.Out, c.Err = &o, &e
	code = run(t.Context(), args, c)
	return o.String(), e.String(), code
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// mistake is a start of the program with the word that its one line of error contains.
type mistake struct {
	env  map[string]string
	args []string
	says string
}

func reportsInOneLine(t *testing.T, mistakes map[string]mistake) {
	t.Helper()
	for name, c := range mistakes {
		t.Run(name, func(t *testing.T) {
			out, errs, code := octavo(t, c.env, c.args...)
			if code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.says) {
				t.Errorf("%v with %v: code %d, out %q, err %q", c.args, c.env, code, out, errs)
			}
		})
	}
}

func TestABadSettingIsReportedInOneLineWithExitCodeTwo(t *testing.T) {
	reportsInOneLine(t, map[string]mistake{
		"a folder that is missing":        {nil, []string{"backup"}, `expected "<destination>": see octavo help backup`},
		"a command of a command":          {nil, []string{"users"}, `"find", ...: see octavo help users`},
		"a port that is text":             {map[string]string{"PORT": "abc"}, []string{"serve"}, "abc"},
		"a host with a port":              {map[string]string{"HOST": "0.0.0.0:3000"}, []string{"serve"}, "HOST"},
		"a host that is no address":       {map[string]string{"HOST": "300.1.1.1"}, []string{"serve"}, "HOST"},
		"a port that is too large":        {map[string]string{"PORT": "70000"}, []string{"serve"}, "PORT"},
		"an unknown environment":          {map[string]string{"OCTAVO_ENV": "prod"}, []string{"serve"}, "OCTAVO_ENV"},
		"an unknown database":             {map[string]string{"DATABASE_URL": "mysql://x"}, []string{"migrate", "status"}, "DATABASE_URL"},
		"an unknown log level":            {map[string]string{"LOG_LEVEL": "loud"}, []string{"serve"}, "LOG_LEVEL"},
		"only one of two keys":            {map[string]string{"PRIVATE_KEY": "x"}, []string{"serve"}, "PUBLIC_KEY"},
		"an origin with a path":           {nil, []string{"serve", "--allowed-origins=https://a.example/x"}, "ALLOWED_ORIGINS"},
		"an invalid network":              {nil, []string{"serve", "--trusted-proxies=10.0.0.0/99"}, "TRUSTED_PROXIES"},
		"a cost that is too high":         {nil, []string{"serve", "--bcrypt-cost=31"}, "BCRYPT_COST"},
		"a lifetime that is too long":     {nil, []string{"serve", "--access-token-ttl=1000h"}, "ACCESS_TOKEN_TTL"},
		"no streams at all":               {nil, []string{"serve", "--limit-streams=0"}, "LIMIT_STREAMS"},
		"an invalid rate":                 {nil, []string{"serve", "--limit-sign-ins=many"}, "LIMIT_SIGN_INS"},
		"cookies that browsers drop":      {nil, []string{"serve", "--cookie-samesite=none"}, "COOKIE_SAMESITE"},
		"mail without a sender":           {map[string]string{"SMTP_URL": "smtp://h:25"}, []string{"serve"}, "MAIL_FROM"},
		"an audit log of a week":          {nil, []string{"serve", "auth", "--port=0", "--audit-keep=168h"}, "AUDIT_KEEP"},
		"an invalid previous private key": {map[string]string{"PREVIOUS_PRIVATE_KEYS": "x"}, []string{"serve", "auth", "--port=0"}, "PREVIOUS_PRIVATE_KEYS"},
		"an unknown scope of admins":      {map[string]string{"ADMIN_SCOPE": "faculty"}, []string{"serve", "auth", "--port=0"}, "ADMIN_SCOPE"},
		"an unknown second factor rule":   {map[string]string{"REQUIRE_2FA": "everybody"}, []string{"serve", "auth", "--port=0"}, "REQUIRE_2FA"},
		"an invalid previous OIDC key":    {map[string]string{"PREVIOUS_OIDC_KEYS": "x"}, []string{"serve", "auth", "--port=0"}, "PREVIOUS_OIDC_KEYS"},
		"an invalid next OIDC key":        {map[string]string{"NEXT_OIDC_KEY": "x"}, []string{"serve", "auth", "--port=0"}, "NEXT_OIDC_KEY"},
		"an invalid previous key":         {map[string]string{"PREVIOUS_PUBLIC_KEYS": "x"}, []string{"serve", "auth", "--port=0"}, "PREVIOUS_PUBLIC_KEYS"},
	})
}

func TestABadSettingOfWebhooksIsReportedInOneLineWithExitCodeTwo(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "rules")
	reportsInOneLine(t, map[string]mistake{
		"an invalid rule":          {nil, []string{"serve", "webhooks", "--port=0", "--forward=Push=http://127.0.0.1/"}, "push"},
		"a missing file of rules":  {map[string]string{"WEBHOOK_RULES": missing}, []string{"serve", "webhooks", "--port=0"}, "WEBHOOK_RULES"},
		"a rule given twice":       {nil, []string{"serve", "webhooks", "--port=0", "--forward=push=http://127.0.0.1:9/ push=http://127.0.0.1:9/"}, "WEBHOOK_FORWARD"},
		"a secret without a name":  {map[string]string{"WEBHOOK_ADDITIONAL_SECRETS": "tulip"}, []string{"serve", "webhooks"}, "WEBHOOK_ADDITIONAL_SECRETS"},
		"no delivery kept":         {nil, []string{"serve", "webhooks", "--webhook-keep-most=0"}, "WEBHOOK_KEEP_MOST"},
		"ids kept shorter":         {nil, []string{"serve", "webhooks", "--webhook-keep-ids=1h"}, "WEBHOOK_KEEP_IDS"},
		"an invalid path":          {nil, []string{"serve", "webhooks", "--webhook-path=hooks"}, "WEBHOOK_PATH"},
		"the root as a path":       {nil, []string{"serve", "webhooks", "--webhook-path=/"}, `WEBHOOK_PATH: "/"`},
		"a path by way of another": {nil, []string{"serve", "--port=0", "--webhook-path=/hooks/../graphql"}, `WEBHOOK_PATH: "/hooks/../graphql" is not a path`},
		"a route as a path":        {nil, []string{"serve", "--port=0", "--webhook-path=/graphql"}, "WEBHOOK_PATH: /graphql is Octavo's own"},
	})
}

func TestASecretThatCannotBeReadIsReportedInOneLineWithExitCodeTwo(t *testing.T) {
	secret, empty := filepath.Join(t.TempDir(), "secret"), filepath.Join(t.TempDir(), "empty")
	write(t, secret, "x\n")
	write(t, empty, "\n")
	reportsInOneLine(t, map[string]mistake{
		"a secret given twice":    {map[string]string{"SMTP_URL": "smtp://h:25", "MAIL_FROM": "a@b.edu", "SMTP_URL_FILE": secret}, []string{"serve"}, "SMTP_URL_FILE"},
		"a secret's file missing": {map[string]string{"SMTP_URL_FILE": secret + "x"}, []string{"serve"}, "SMTP_URL_FILE"},
		"a secret's file empty":   {map[string]string{"DATABASE_URL_FILE": empty}, []string{"serve"}, "DATABASE_URL_FILE: " + empty + " is empty"},
		"a file without an end":   {map[string]string{"WEBHOOK_SECRET_FILE": "/dev/zero"}, []string{"serve"}, "WEBHOOK_SECRET_FILE: /dev/zero has more than"},
	})
	settings := map[string]string{"WEBHOOK_ADDITIONAL_SECRETS_FILE": empty, "WEBHOOK_SECRET": "the one that signs"}
	if out, errs, code := octavoReading(t, "{}", settings, "webhooks", "sign"); code != 0 || !strings.HasPrefix(out, "sha256=") {
		t.Errorf("without a secret of before: %d: %s", code, errs)
	}
}

func TestAnUnknownWordIsReportedInOneLineWithExitCodeTwo(t *testing.T) {
	reportsInOneLine(t, map[string]mistake{
		"an unknown component": {nil, []string{"serve", "shop"}, "shop"},
		"an unknown command":   {nil, []string{"sreve"}, "sreve"},
		"an unknown flag":      {nil, []string{"serve", "--prot=1"}, "--prot"},
		"an unknown role":      {nil, []string{"users", "promote", "a@b.edu", "--role", "king"}, "king"},
	})
}

func TestWhatIsInsecureInProductionIsReportedInOneLineWithExitCodeTwo(t *testing.T) {
	reportsInOneLine(t, map[string]mistake{
		"no keys in production": {map[string]string{"OCTAVO_ENV": "production", "BASE_URL": "https://o.example", "QUEUE_URL": "redis://localhost"},
			[]string{"serve", "auth"}, "PUBLIC_KEY"},
		"plain cookies in production": {map[string]string{"OCTAVO_ENV": "production", "BASE_URL": "https://o.example", "WEBHOOK_SECRET": "a secret of more letters"},
			[]string{"serve", "webhooks", "--cookie-secure=false"}, "COOKIE_SECURE"},
		"a plain address in production": {map[string]string{"OCTAVO_ENV": "production", "BASE_URL": "http://o.example", "WEBHOOK_SECRET": "a secret of more letters"},
			[]string{"serve", "webhooks"}, "BASE_URL"},
		"no secret in production": {map[string]string{"OCTAVO_ENV": "production", "BASE_URL": "https://o.example"},
			[]string{"serve", "webhooks"}, "WEBHOOK_SECRET"},
		"a short secret in production": {map[string]string{"OCTAVO_ENV": "production", "BASE_URL": "https://o.example", "WEBHOOK_SECRET": "fifteen letters"},
			[]string{"serve", "webhooks"}, "WEBHOOK_SECRET"},
		"a short additional secret in production": {map[string]string{"OCTAVO_ENV": "production", "BASE_URL": "https://o.example",
			"WEBHOOK_SECRET": "a secret of more letters", "WEBHOOK_ADDITIONAL_SECRETS": "old=s@2030-01-01T00:00:00Z"},
			[]string{"serve", "webhooks"}, "WEBHOOK_ADDITIONAL_SECRETS"},
	})
}

// settingsIn returns the settings that the lines of an answer begin with.
func settingsIn(errs string) (names []string) {
	for line := range strings.Lines(errs) {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "octavo: "), ": ")
		names = append(names, name)
	}
	return names
}

func TestEverythingThatIsWrongWithTheSettingsIsInOneAnswer(t *testing.T) {
	env := map[string]string{
		"OCTAVO_ENV": "production", "PORT": "abc", "ACCESS_TOKEN_TTL": "long", "LOG_LEVEL": "loud", "LIMIT_SIGN_INS": "many", "LIMIT_CODES": "few", "PRIVATE_KEY_FILE": "/none/private.pem",
		"METRICS_TOKEN": "short", "CURRENCY": "pounds", "CAMPUS_TIMEZONE": "Oxford", "ISBN_TABLE": "/none/isbns.csv",
	}
	want := "ACCESS_TOKEN_TTL, BASE_URL, CAMPUS_TIMEZONE, CURRENCY, ISBN_TABLE, LIMIT_CODES, LIMIT_SIGN_INS, LOG_LEVEL, METRICS_TOKEN, PORT, PRIVATE_KEY_FILE, SMTP_URL or QUEUE_URL, WEBHOOK_SECRET"
	_, errs, code := octavo(t, env, "serve")
	names := settingsIn(errs)
	slices.Sort(names)
	if got := strings.Join(names, ", "); code != 2 || got != want {
		t.Errorf("serve: code %d, %s, want %s: %s", code, got, want, errs)
	}
	if _, errs, code := octavo(t, env, "users", "list"); code != 2 || !strings.Contains(errs, "PORT") || !strings.Contains(errs, "LOG_LEVEL") {
		t.Errorf("another command: code %d, %s", code, errs)
	}
	out, errs, code := octavo(t, env, "doctor")
	for _, name := range strings.Split(want, ", ") {
		if !strings.Contains(out, name+": ") {
			t.Errorf("the doctor does not say what is wrong with %s", name)
		}
	}
	if code != 2 || errs != "" || !strings.Contains(out, "ok    data folder") || strings.Contains(out, "signing key") {
		t.Errorf("the doctor: code %d, %s\n%s", code, errs, out)
	}
}

func TestASettingThatIsMissingBecauseItIsMisspeltIsNamed(t *testing.T) {
	env := map[string]string{"OCTAVO_ENV": "production", "BASE_URL": "https://o.example", "WEBHOOK_SECRETS": "a secret of more letters"}
	_, errs, code := octavo(t, env, "serve", "webhooks")
	if code != 2 || !strings.Contains(errs, "octavo: WEBHOOK_SECRET: ") || !strings.Contains(errs, "WEBHOOK_SECRETS is no setting of Octavo, and is ignored; did you mean WEBHOOK_SECRET?") {
		t.Errorf("code %d, %s", code, errs)
	}
}

func TestQuotesAroundAValueAreTakenOff(t *testing.T) {
	for _, quote := range []string{`"`, "'"} {
		env := map[string]string{"PORT": quote + "0" + quote, "SERVICE_NAME": quote + "Campus Books" + quote, "MAIL_FROM": `"Octavo" <books@example.edu>`, "REDIS_URL": quote + quote}
		if out, errs, code := octavo(t, env, "doctor"); code != 0 {
			t.Errorf("with %s: code %d, %q, %q", quote, code, out, errs)
		}
	}
	if _, errs, code := octavo(t, map[string]string{"PORT": `"0'`}, "doctor"); code != 2 || errs != "" {
		t.Errorf("a pair that is none: code %d, %q", code, errs)
	}
}

func TestASecretsFileMayBeginWithAByteOrderMark(t *testing.T) {
	keys, _, _ := octavo(t, nil, "keys", "generate")
	env := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(keys), "\n") {
		name, value, _ := strings.Cut(line, "=")
		env[name+"_FILE"] = filepath.Join(t.TempDir(), "key.pem")
		text := "\ufeff" + strings.ReplaceAll(strings.Trim(value, `"`), `\n`, "\r\n")
		write(t, env[name+"_FILE"], text)
	}
	if out, errs, code := octavo(t, env, "doctor", "--port=0", "auth"); code != 0 || !strings.Contains(out, "ES512, PRIVATE_KEY") {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	write(t, env["PRIVATE_KEY_FILE"], "\xff\xfe-\x00")
	if _, errs, code := octavo(t, env, "serve", "auth"); code != 2 || !strings.Contains(errs, "UTF-16") {
		t.Errorf("in UTF-16: code %d, %q", code, errs)
	}
}

func TestAPortInUsePasses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	port := strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)
	if _, errs, code := octavo(t, nil, "serve", "auth", "--port="+port); code != 1 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "HOST, PORT") {
		t.Errorf("code %d, want 1: %q", code, errs)
	}
}

func TestAStoreThatCannotBeReachedPasses(t *testing.T) {
	env := map[string]string{"DATABASE_URL": "postgres://octavo:hushhush@127.0.0.1:1/octavo"}
	if _, errs, code := octavo(t, env, "serve", "auth", "--port=0"); code != 1 || strings.Contains(errs, "hushhush") {
		t.Errorf("code %d, want 1: %q", code, errs)
	}
}

// broken is a stream that a program cannot write to.
type broken struct{}

func (broken) Write([]byte) (int, error) { panic("the fault") }

func TestAFaultInTheProgramIsNoSuccess(t *testing.T) {
	var errs bytes.Buffer
	if code := run(t.Context(), []string{"version"}, terminal.Console{Out: broken{}, Err: &errs}); code != 1 || !strings.Contains(errs.String(), "the fault") || !strings.Contains(errs.String(), "main_test.go") {
		t.Errorf("code %d, want 1 and where it is: %q", code, errs.String())
	}
}

func TestAMisspeltSettingIsAWarning(t *testing.T) {
	env := map[string]string{"REQUIRE_2FAS": "admins", "MAIL_FROM_FILE": "/x"}
	out, errs, code := octavo(t, env, "doctor", "--port=0")
	for _, want := range []string{"REQUIRE_2FAS is no setting", "did you mean REQUIRE_2FA?", "MAIL_FROM_FILE is no setting", "set MAIL_FROM itself"} {
		if !strings.Contains(out, want) {
			t.Errorf("the doctor does not say %q: %d, %s\n%s", want, code, errs, out)
		}
	}
	if code != 0 {
		t.Errorf("code %d, want 0", code)
	}
}

func TestAnErrorNeverQuotesASecret(t *testing.T) {
	for _, env := range []map[string]string{
		{"DATABASE_URL": "mysql://u:hunter2@h"}, {"SMTP_URL": "ftp://u:hunter2@h"}, {"PRIVATE_KEY": "hunter2", "PUBLIC_KEY": "hunter2"},
	} {
		_, errs, code := octavo(t, env, "serve", "auth")
		if code != 2 || strings.Contains(errs, "hunter2") {
			t.Errorf("%v: code %d, %q", env, code, errs)
		}
	}
}

func TestGeneratedKeysAreTwoLinesThatTheProgramAccepts(t *testing.T) {
	out, _, code := octavo(t, nil, "keys", "generate")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 2 || !strings.HasPrefix(lines[0], `PUBLIC_KEY="-----BEGIN PUBLIC KEY-----\n`) || !strings.HasPrefix(lines[1], `PRIVATE_KEY="-----BEGIN PRIVATE KEY-----\n`) {
		t.Fatalf("code %d, %q", code, out)
	}
	env := map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "data")}
	octavo(t, env, "migrate", "up")
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		env[name] = strings.Trim(value, `"`)
	}
	if _, errs, code := octavo(t, env, "users", "list"); code != 0 {
		t.Errorf("with the keys: code %d, want 0: %q", code, errs)
	}
	other, _, _ := octavo(t, nil, "keys", "generate")
	_, value, _ := strings.Cut(strings.Split(other, "\n")[0], "=")
	env["PUBLIC_KEY"] = strings.Trim(value, `"`)
	if _, errs, code := octavo(t, env, "users", "list"); code != 2 || !strings.Contains(errs, "PUBLIC_KEY") {
		t.Errorf("with a public key of another pair: code %d, %q", code, errs)
	}
}

func TestAnEmptyVariableIsNoVariable(t *testing.T) {
	if _, errs, code := octavo(t, map[string]string{"PORT": "", "LOG_LEVEL": ""}, "migrate", "up"); code != 0 {
		t.Errorf("code %d, want 0: %q", code, errs)
	}
}

func TestTheDoctorCreatesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	out, errs, code := octavo(t, map[string]string{"DATA_DIR": dir}, "doctor", "--port=0")
	if code != 0 || !strings.Contains(out, "created by octavo serve") {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the doctor has made DATA_DIR")
	}
}
