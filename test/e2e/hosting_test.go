package e2e_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-books/octavo/test/e2e"
)

func TestThePlatformFilesNameOnlySettingsCommandsAndPathsThatExist(t *testing.T) {
	t.Parallel()
	known := settingsOf(t)
	kubernetes := read(t, "kubernetes/migrate.yaml") + read(t, "kubernetes/web.yaml") + read(t, "kubernetes/mailer.yaml")
	fly, render := read(t, "fly.toml"), read(t, "render.yaml")

	var blueprint struct {
		Services []struct {
			EnvVars []struct{ Key string } `yaml:"envVars"`
		}
	}
	if err := yaml.Unmarshal([]byte(render), &blueprint); err != nil {
		t.Fatal(err)
	}
	names := append(found(`(?m)^([A-Z_]+)=`, read(t, "kubernetes/settings.env")), found(`(?m)^ +([A-Z_]+) =`, fly)...)
	for _, v := range blueprint.Services[0].EnvVars {
		names = append(names, v.Key)
	}
	if len(names) < 15 {
		t.Fatalf("too few names: %v", names)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			t.Errorf("%s is not a setting", name)
		}
	}

	for _, path := range found(`(?m)(?:path: |path = "|healthCheckPath: )(/\w+)`, kubernetes+fly+render) {
		if !slices.Contains([]string{"/healthz", "/readyz", "/metrics"}, path) {
			t.Errorf("%s is not a path for probes", path)
		}
	}
	for _, command := range slices.Concat(found(`args: \[(.*)\]`, kubernetes), found(`release_command = "(.*)"`, fly), found(`preDeployCommand: /octavo (.*)`, render)) {
		words := strings.Fields(strings.ReplaceAll(command, ",", ""))
		if len(words) > 1 && words[0] == "serve" {
			words = words[:1] // a component, as in serve mailer
		}
		if out, code := e2e.Octavo(t, nil, append([]string{"help"}, words...)...); code != 0 {
			t.Errorf("%s: %s", command, out)
		}
	}
}

// Production accepts the settings of the files together with the secrets that docs/hosting.md
// describes, and keeps the photos in a bucket.
func TestThePlatformFilesAreWholeConfigurations(t *testing.T) {
	t.Parallel()
	secrets := append(freshPair(t), "DATA_DIR="+t.TempDir(), "PORT=0", "DATABASE_URL=postgres://octavo:x@127.0.0.1:1/octavo", "WEBHOOK_SECRET="+inboxSecret,
		"SMTP_URL=smtp://user:x@mail.example.edu:587", "AWS_ACCESS_KEY_ID=octavo", "AWS_SECRET_ACCESS_KEY=a-secret-of-the-bucket", "METRICS_TOKEN="+inboxSecret)
	bucket := "BLOB_URL=s3://books?endpoint=https://storage.example.edu&region=us-east-1"
	render := []string{"OCTAVO_ENV=production", "BASE_URL=https://books.example.edu", "MAIL_FROM=books@example.edu", bucket}
	for _, m := range regexp.MustCompile(`\{key: ([A-Z_]+), value: "?([^"}]*)"?\}`).FindAllStringSubmatch(read(t, "render.yaml"), -1) {
		render = append(render, m[1]+"="+m[2])
	}
	var fly []string
	for _, m := range regexp.MustCompile(`(?m)^ +([A-Z_]+) = "(.*)"`).FindAllStringSubmatch(read(t, "fly.toml"), -1) {
		fly = append(fly, m[1]+"="+m[2])
	}
	kubernetes := append(found(`(?m)^([A-Z_]+=.*)`, read(t, "kubernetes/settings.env")), bucket, "REDIS_URL=redis://redis:6379/0", "QUEUE_URL=redis://redis:6379/0")
	for name, env := range map[string][]string{"Fly": fly, "Render": render, "Kubernetes": kubernetes} {
		if !slices.Contains(env, "OCTAVO_ENV=production") || !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "BLOB_URL=s3://") }) {
			t.Errorf("%s: %v", name, env)
		}
		if out, code := e2e.Octavo(t, append(env, secrets...), "serve"); code != 1 || !strings.Contains(out, "DATABASE_URL") {
			t.Errorf("%s ends with %d, want 1 because of the database: %s", name, code, out)
		}
	}
	for _, key := range []string{"BLOB_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "METRICS_TOKEN"} {
		if !strings.Contains(read(t, "render.yaml"), "{key: "+key+", ") {
			t.Errorf("Render does not ask for %s", key)
		}
	}
	for _, pod := range []string{"web", "mailer", "migrate"} {
		if text := read(t, "kubernetes/"+pod+".yaml"); !strings.Contains(text, "secretName: octavo-files, optional: true") || !strings.Contains(text, "name: files, mountPath: /etc/octavo") {
			t.Errorf("the pod %s has no files", pod)
		}
	}
}

// found returns the first groups of all matches.
func found(pattern, text string) (all []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}
