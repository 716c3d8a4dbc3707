package e2e_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

// installers do with this program, which is the new one, what package manager, systemd, Docker and a cluster would. Whenever
// they start it, the accounts of the oldest schema must be there; whenever they go back, that schema.
const installers = `
oldest() { octavo migrate status | grep -q 'auth *version 800 of'; }
starts() { octavo serve; octavo users list | grep head@mit.edu; }
apt-get() { case $* in *--allow-downgrades*) oldest ;; esac; }
systemctl() {
	case $* in
	'start octavo-backup') octavo backup "$BACKUPS" --keep-last 14 ;;
	'stop octavo') end ;;
	*) starts ;;
	esac
}
docker() {
	case $* in
	'compose exec octavo /octavo '*) shift 4; PORT=$FREE_PORT octavo "$@" ;;
	'compose up '*) starts ;;
	'compose down') end ;;
	'run '*) sh -ec "${!#}"; oldest ;;
	esac
}
kubectl() {
	case $* in
	apply*) oldest; octavo migrate up; starts ;;
	*scale*) end ;;
	*) curl -fsS "http://127.0.0.1:$FREE_PORT/readyz" ;;
	esac
}
`

// upgradePage begins with the databases of the oldest schema that is supported, for each way of installing.
func upgradePage(p *shellPage) {
	deep.NotShort(p, "needs Postgres")
	const oldest = releasedFolder + "/before-0.1.0/"
	for _, folder := range []string{"var", "volume"} {
		for _, name := range []string{"octavo.db", "webhooks.db"} {
			p.file(filepath.Join(folder, name), string(contentOf(p.T, oldest+name+".gz")))
		}
	}
	dsn := database.PostgresURL(p)
	restored := must.Get(sql.Open("pgx", dsn))(p)
	must.Get(restored.ExecContext(p.Context(), string(contentOf(p.T, oldest+"postgres.sql.gz"))))(p)
	must.Do(p, restored.Close())
	tools := must.Get(filepath.Glob("/usr/lib/postgresql/*/bin"))(p) // not in the PATH of Debian
	p.replace("/var/backups/octavo", p.dir+"/backups")
	p.replace("octavo_data:/data", "octavo_data")
	p.replace("/data", p.dir+"/volume")
	p.before["systemctl start octavo-backup"] = installers + "BACKUPS=" + p.dir + "/backups DATA_DIR=" + p.dir + "/var"
	p.before["/octavo backup"] = "DATA_DIR=" + p.dir + "/volume"
	p.before["pg_dump"] = "export DATABASE_URL=" + dsn + " PATH=" + strings.Join(append(tools, os.Getenv("PATH")), ":")
	p.wants = []string{"schema up to date", "head@mit.edu"}
}
