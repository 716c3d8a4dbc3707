package e2e_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"regexp"

	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
)

// robotKeys are the public keys of a machine.
const robotKeys = `{"keys":[{"kty":"EC","crv":"P-256","kid":"1","use":"sig","alg":"ES256",` +
	`"x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}`

// shellPages are the documents whose commands need something before they can be run: a server, accounts, files.
var shellPages = map[string]func(*shellPage){
	"README.md": func(p *shellPage) {
		p.wants = []string{"Sign in as owner@northfield.example.edu"}
	},
	"docs/graphql.md": func(p *shellPage) {
		p.serve(nil, "auth", "market")
		p.server.Student("ada@campus.edu", "Ada")
		p.wants = []string{"type Query", `"accessToken":"`}
	},
	"docs/machines.md":               machinesPage,
	"docs/recipes/machines.md":       machinesRecipe,
	"docs/market.md":                 marketPage,
	"docs/openid.md":                 servingPage,
	"docs/recipes/openid-clients.md": servingPage,
	"docs/operations/backup.md":      bucketPage,
	"docs/operations/restore.md": func(p *shellPage) {
		url := bucketOf(p)
		if out, code := p.server.Octavo("backup", url); code != 0 {
			p.Fatal(out)
		}
	},
	"docs/operations/first-owner.md": func(p *shellPage) {
		p.serve(nil, "auth", "market")
		ann := p.server.Student("ann@example.edu", "Ann")
		begun, _ := ann.GraphQL(p, startTotp, nil)
		secret := regexp.MustCompile(`"secret":"(\w+)"`).FindSubmatch(begun)
		if secret == nil {
			p.Fatalf("%s", begun)
		}
		if _, code := ann.GraphQL(p, confirm, vars{"c": appCode(p.T, string(secret[1]), 0)}); code != "" {
			p.Fatal(code)
		}
		p.wants = []string{"/invitation?token=", "you@example.edu is now owner."}
	},
	"docs/operations/https.md": servingPage,
	"docs/operations/keys.md": func(p *shellPage) {
		p.before["sed -i"] = "octavo init $PWD/etc --data-dir $PWD/data"
		p.before["systemctl"] = "systemctl() { set -a; . $PWD/etc/octavo.env; octavo serve auth; " +
			"curl -fsS http://127.0.0.1:$FREE_PORT/.well-known/jwks.json | grep -o P-521 | tr '\\n' ' '; }"
		p.wants = []string{"P-521 P-521"}
	},
	"docs/recipes/proxy.md": servingPage,
	"docs/operations/install.md": func(p *shellPage) {
		p.before["doctor"] = "export BASE_URL=https://books.example.edu MAIL_FROM=books@example.edu SMTP_URL=" + servers.SMTP(p).URL
		p.wants = []string{"https://books.example.edu/invitation?token="}
	},
	"docs/operations/postgres.md": nowherePage,
	"docs/operations/standby.md":  nowherePage,
	"docs/operations/upgrade.md":  upgradePage,
	"docs/operations/privacy.md": func(p *shellPage) {
		p.serve(nil, "auth", "market")
		p.server.Student("ann@example.edu", "Ann")
	},
	"docs/recipes/import.md": func(p *shellPage) {
		p.serve(nil, "market")
		p.file("users.csv", recipe(p.T, "import.md", "csv", 0))
		p.file("pb_data/made", "")
		p.before["sqlite3 "] = `sqlite3 pb_data/data.db "create table users (email text, password text, verified int)"`
		p.wants = []string{"ada@campus.edu"}
	},
	"docs/recipes/receiver.md": func(p *shellPage) {
		p.serve([]string{"WEBHOOK_SECRET=the secret shared with the sender"}, "webhooks")
		p.changes = append([]string{"http://127.0.0.1:3000/hooks", p.server.URL + "/api/host/webhooks"}, p.changes...)
	},
	"docs/recipes/varnish.md": func(p *shellPage) {
		p.file("etc/fastly.token", "token")
		p.file("etc/cloudflare.token", "token")
	},
	"docs/signin.md": func(p *shellPage) {
		p.file("providers.yaml", recipe(p.T, "../signin.md", "yaml", 0))
		p.file("google.secret", "secret")
		p.serve([]string{"OIDC_PROVIDERS=" + p.dir + "/providers.yaml"}, "auth", "market")
		p.server.Student("owner@example.edu", "Olivia")
		p.server.Promote("owner@example.edu", "owner")
	},
}

// servingPage has commands beside a server.
func servingPage(p *shellPage) { p.serve(nil) }

// nowherePage has settings with addresses of other machines.
func nowherePage(p *shellPage) {
	p.given = "DATABASE_URL=postgres://octavo@127.0.0.1:1/octavo\n"
	p.places = []string{"…", "password", "10.0.0.5:5432", "127.0.0.1:1", "10.0.0.6:6432", "127.0.0.1:1", "10.0.0.7:5432", "127.0.0.1:1"}
}

func machinesPage(p *shellPage) {
	p.serve(nil, "auth", "market")
	ada := p.server.Student("ada@campus.edu", "Ada")
	made, code := ada.GraphQL(p, `mutation { createToken(name: "backup", scopes: ["market"], expiresIn: 2592000) }`, nil)
	if code != "" {
		p.Fatal(code)
	}
	p.replace("oct_…", regexp.MustCompile(`oct_[\w-]+`).FindString(string(made)))
	notesResource(p)
	p.file("robot.jwks", robotKeys)
	p.wants = []string{`"email":"ada@campus.edu"`, "client_id: "}
}

func machinesRecipe(p *shellPage) {
	p.serve(nil)
	notesResource(p)
	p.file("jwks.mjs", recipe(p.T, "machines.md", "js", 0))
	p.before["$OCTAVO_TOKEN"] = "OCTAVO_TOKEN=" + p.server.Student("ada@campus.edu", "Ada").Token
	p.wants = []string{"client_id: ", `"email":"ada@campus.edu"`}
}

// notesResource lets the commands after the one that makes a resource use its id.
func notesResource(p *shellPage) {
	p.replace("--scope read,write\n", "--scope read,write >made; cat made; RESOURCE=$(sed -n 's/^resource_id: //p' made)\n")
	p.replace("r7301444403271", "$RESOURCE")
	p.replace("r7301…", "$RESOURCE")
}

// marketPage has the tour, from an account to a sale, whose variables the other commands use.
func marketPage(p *shellPage) {
	p.serve(nil)
	p.before[`Bearer $TOKEN`] = "TOKEN=$ADA"
	p.before["importCourses"] = "ADMIN=$CLEO"
	p.before["addPhoto"] = `BOOK=$(curl -s $H/api/books/postBook -H "$J" -H "Authorization: Bearer $ADA" ` +
		`-d '{"name":"Algebra","edition":1,"course":"MTH 165","price":9,"condition":"Good","date":"2026-09-07"}' | pick id)`
	p.file("books.csv", "name,edition,course,price,condition,date\nCalculus,2,MTH 161,20,Good,2026-09-07\n")
	p.file("courses.csv", recipe(p.T, "../market.md", "csv", 1))
	var cover bytes.Buffer
	must.Do(p, jpeg.Encode(&cover, image.NewGray(image.Rect(0, 0, 60, 90)), nil))
	p.file("cover.jpg", cover.String())
	p.wants = []string{
		`"verified":true`, `"name":"Introduction to Algorithms"`, `"total":44.63`, `"kind":"book_sold"`, "cleo@campus.edu is now owner.",
		`"kind":"payment_sent"`, `"email":"ben@campus.edu"`,
	}
}

// bucketPage has a bucket of backups.
func bucketPage(p *shellPage) { _ = bucketOf(p) }

func bucketOf(p *shellPage) (url string) {
	url = servers.S3(p).URL("campus")
	p.replace("s3://octavo-backups/campus?endpoint=https://storage.example.edu&region=us-east-1", url)
	p.serve(withBucket, "auth", "market")
	return url
}
