package main

// table is one of the document, between two comments with its name.
type table struct {
	name    string
	columns []string // after the first; the last are what is beside the figures, and the command
	rows    []row
}

// row shows figures of a run and, beside them, another figure or what was aimed at.
type row struct {
	label  string
	cells  []cell
	beside []part
}

// cell is a figure: of which run, its name, and how it is shown.
type cell struct {
	run, figure string
	format      format
	wall        bool // a time of the clock, which says nothing of a busy machine
}

// byTheClock returns the row for times of the clock.
func (r row) byTheClock() row {
	for i := range r.cells {
		r.cells[i].wall = true
	}
	return r
}

// part is text, or a figure with text before it.
type part struct {
	text string
	cell *cell
}

// format multiplies a figure and rounds it.
type format struct {
	factor float64
	digits int
	unit   string
}

var (
	whole = format{1, 0, ""}
	tenth = format{1, 1, ""}
)

func of(run, figure string, f format) cell { return cell{run: run, figure: figure, format: f} }

func aim(text string) []part { return []part{{text: text}} }

func floor(name string, c cell) []part { return []part{{text: name + " ", cell: &c}} }

// tables are those of the document.
func tables(all figures) []table {
	return []table{startTable(all), identityTable(), secretsTable(), marketTable(all), webhookTable()}
}

const besideColumn, commandColumn = "beside it", "command"

func startTable(all figures) table {
	single := func(label, run, figure string, f format, beside []part) row {
		return row{label, []cell{of(run, figure, f)}, beside}
	}
	second, millisecond, megabyte := format{1, 0, " s"}, format{1, 0, " ms"}, format{1, 0, " MB"}
	return table{"start", []string{"measured", besideColumn, commandColumn}, []row{
		single("`go tool task run` until all is compiled", "first start", "first start, wall s", second, aim("aim: 180 s")).byTheClock(),
		single("the same, processor time", "first start", "first start, processors s", second, nil),
		single("exec to ready, empty database", "start", "exec to ready, empty database ms", millisecond, nil).byTheClock(),
		single("exec to ready, existing database", "start", "exec to ready, existing database ms", millisecond, nil).byTheClock(),
		single("processor time until ready", "start", "CPU until ready, existing ms", millisecond, nil),
		single("resident when idle, all three components", "start", "resident when idle MB", megabyte, nil),
		single("program, all three components", "start", "binary bytes", format{1e-6, 1, " MB"}, aim("aim: 55 MB")),
		single("`octavo demo`, processor time a book", marketRun(largest(all)), demoCost, format{1, 0, " µs"}, nil),
	}}
}

func identityTable() table {
	server := func(label, figure string, f format, beside []part) row {
		return row{label, []cell{of("identity", figure, f)}, beside}
	}
	ms := format{1, 2, " ms"}
	bcrypt := floor("bcrypt alone", of("floors", "FloorBcrypt cpu-ms/op", format{1, 1, " ms"}))
	signature := floor("one ES512 signature", of("floors", "FloorSignature cpu-ms/op", ms))
	return table{"identity", []string{"processor time", besideColumn, commandColumn}, []row{
		server("an empty request", "Server empty-cpu-ms", ms, nil),
		server("sign-in", "Server sign-in-cpu-ms", ms, bcrypt),
		server("refresh, with rotation and reuse detection", "Server refresh-cpu-ms", ms, signature),
		server("who am I, warm", "Server me-warm-cpu-ms", ms, aim("aim: 0.35 ms")),
		server("who am I, cold: the signature is verified", "Server me-cold-cpu-ms", ms, aim("aim: 2.1 ms")),
		server("introspection by a resource server", "Server introspect-cpu-ms", ms, aim("aim: 0.35 ms")),
		server("revoke one of 150 sessions", "Server revoke-cpu-ms", ms, aim("aim: 0.8 ms")),
	}}
}

func secretsTable() table {
	t := table{"secrets", []string{"difference", besideColumn, commandColumn}, nil}
	for _, e := range []struct{ run, label, name string }{
		{"passwords told apart", "a sign-in with a wrong password", "sign-in"},
		{"passwords told apart", "a sign-up", "sign-up"},
		{"addresses told apart", "a request for a reset", "reset"},
		{"addresses told apart", "a reset with a wrong code", "redeem"},
		{"addresses told apart", "another mail of a verification", "resend"},
		{"addresses told apart", "a verification with a wrong code", "verify"},
	} {
		name := "EnumerationOverHTTP/" + e.name + "/idle "
		difference, median := of(e.run, name+"spread-%", format{1, 1, " %"}), of(e.run, name+"member-ms", format{1, 2, " ms"})
		t.rows = append(t.rows, row{e.label, []cell{difference}, floor("of", median)})
	}
	return t
}

func marketTable(all figures) table {
	t := table{name: "market", columns: []string{"requests/s", "p50, ms", "p99, ms", "CPU, µs", "memory, MB", besideColumn, commandColumn}}
	run := marketRun(largest(all))
	for _, kind := range marketKinds {
		cells := make([]cell, 0, len(loadColumns))
		for i, f := range []format{whole, tenth, tenth, whole, whole} {
			cells = append(cells, of(run, kind.name+": "+loadColumns[i], f))
		}
		t.rows = append(t.rows, row{kind.label, cells, aim(kind.aim)})
	}
	return t
}

// marketKinds are the requests of test/bench/load.
var marketKinds = []struct{ name, label, aim string }{
	{"first page", "first page", "aim: 8,000/s"},
	{"first page, with a token", "first page, with a token", "aim: 6,000/s"},
	{"page at 100,000, by cursor", "page at 100,000, by cursor", "as the first"},
	{"page at 100,000, limit/skip", "page at 100,000, by limit/skip", "aim: 500/s"},
	{"search, common word", "search, common word", "aim: 2,000/s"},
	{"search, two common words", "search, two common words", ""},
	{"search, course", "search, course", ""},
	{"search, no hit", "search, no hit", "aim: 5,000/s"},
	{"ISBN exact", "ISBN, a different one each time", "aim: 8,000/s"},
	{"one book", "one book, a different one each time", "aim: 12,000/s"},
	{"dashboard", "dashboard", ""},
	{"page: front", "the front page", "aim: 1,500 µs"},
	{"page: home of a student", "the front page of a student", "aim: 1,500 µs"},
	{"page: search", "the page of a search", "aim: 2,000 µs"},
	{"page: book", "the page of a book", "aim: 1,200 µs"},
	{"style sheet", "the style sheet", ""},
	{"post with matching", "post with matching", "aim: 3,000/s"},
	{"checkout", "checkout", ""},
}

func webhookTable() table {
	t := table{name: "webhooks", columns: []string{"push, 8 KB, µs", "pull_request, 24 KB, µs", besideColumn, commandColumn}}
	for _, kind := range []struct{ name, label, aim string }{
		{"floor", "the floor: net/http that hashes the body", ""},
		{"library", "the library", "aim: 1.4 × the floor"},
		{"library_10_matching", "with 10 matching handlers", ""},
		{"library_10000_others", "and 10,000 others", ""},
		{"durable", "the durable service", "aim: 3 × the library"},
		{"durable_forward", "and forwarding", ""},
	} {
		t.rows = append(t.rows, row{kind.label, []cell{
			of("webhooks", "Delivery/push/"+kind.name+" cpu-µs/delivery", tenth),
			of("webhooks", "Delivery/pull_request/"+kind.name+" cpu-µs/delivery", tenth),
		}, aim(kind.aim)})
	}
	return t
}
