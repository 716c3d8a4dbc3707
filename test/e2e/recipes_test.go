package e2e_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

const recipeServer = "http://127.0.0.1:3000"

// recipe returns the n-th code block of a language in a recipe.
func recipe(t *testing.T, file, language string, n int) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs/recipes", file))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) <= n {
		t.Fatalf("%s has %d blocks of %s", file, len(blocks), language)
	}
	return blocks[n][1]
}

// save writes a block to a temporary folder and returns its path.
func save(t *testing.T, name, block string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path, block)
	return path
}

func TestTheRecipesVerifyATokenAndRefuseAForgedOne(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	token := s.Student("ada@campus.edu", "Ada").Token
	parts := strings.Split(token, ".")
	forged := parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2]))
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	promoted := base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(claims), `"USER"`, `"OWNER"`, 1)))
	others := parts[0] + "." + promoted + "." + parts[2]
	unsigned := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"at+jwt"}`)) + "." + promoted + "."
	for language, program := range map[string]func(*testing.T) []string{
		"go": func(*testing.T) []string { return []string{"go", "run"} },
		"js": func(t *testing.T) []string {
			return []string{servers.Need(t, "Node", "apt-get install nodejs", "node")}
		},
		"python": func(t *testing.T) []string {
			return []string{pythonWith(t, "jwt, cryptography", "python3-jwt python3-cryptography")}
		},
		"java": javaWithGson,
		"php": func(t *testing.T) []string {
			return []string{servers.Need(t, "PHP", "apt-get install php-cli", "php")}
		},
	} {
		t.Run(language, func(t *testing.T) {
			if language == "java" || language == "php" {
				deep.Only(t, "is the recipe of another language")
			}
			run := program(t)
			name := map[string]string{"go": "verify.go", "js": "verify.mjs", "python": "verify.py", "java": "Verify.java", "php": "verify.php"}[language]
			path := save(t, name, strings.ReplaceAll(recipe(t, "verify-token.md", language, 0), recipeServer, s.URL))
			verify := func(token string) (string, error) {
				out, err := exec.CommandContext(t.Context(), run[0], append(run[1:], path, token)...).CombinedOutput()
				return string(out), err
			}
			if out, err := verify(token); err != nil || !strings.HasSuffix(out, " USER\n") {
				t.Errorf("a valid token: %v %s", err, out)
			}
			for what, token := range map[string]string{"a forged token": forged, "a token with other claims": others, "a token without a signature": unsigned} {
				if out, err := verify(token); err == nil {
					t.Errorf("%s is accepted: %s", what, out)
				}
			}
		})
	}
}

// javaWithGson finds a Java that runs source files, and the library of the recipe.
func javaWithGson(t *testing.T) []string {
	t.Helper()
	const install = "apt-get install default-jdk-headless libgoogle-gson-java"
	java := servers.Need(t, "Java", install, "java")
	const library = "/usr/share/java/gson.jar"
	if _, err := os.Stat(library); err != nil {
		servers.Missing(t, "Gson", install)
	}
	return []string{java, "-cp", library}
}

func TestTheSinglePageAppOfTheRecipeSearchesAndBuys(t *testing.T) {
	t.Parallel()
	var page []byte
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNoContent) // for the icon that browsers request
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	}))
	defer app.Close()
	s := e2e.Start(t)
	block := recipe(t, "spa.md", "html", 0)
	if lines := strings.Count(block, "\n"); lines > 60 {
		t.Errorf("the app has %d lines", lines)
	}
	page = []byte(strings.ReplaceAll(block, recipeServer, s.URL))
	s.Student("ada@campus.edu", "Ada").Post(t, "Linear Algebra <and> Its Applications", "MTH 165")
	s.Student("ben@campus.edu", "Ben")

	b := openBrowser(t, app.URL)
	b.open("/")
	b.typed("email", "ben@campus.edu", "password", e2e.Password+"\r")
	b.text("Welcome, Ben")
	b.do(chromedp.SendKeys(chromedp.CSS(`[name="query"]`), "algebra\r"))
	b.text("1 found")
	b.text("Linear Algebra <and> Its Applications")
	b.presses("#books button")
	b.text("Bought for $")
}

func TestImportedAccountsKeepTheirPasswords(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	file := save(t, "users.csv", recipe(t, "import.md", "csv", 0))
	if out, code := s.Octavo("users", "import", file); code != 0 {
		t.Fatal(out)
	}
	login := map[string]string{"email": "ada@campus.edu", "password": "correct horse battery"}
	e2e.Client{URL: s.URL}.Must(t, 200, "POST", "/api/auth/login", login)
}
