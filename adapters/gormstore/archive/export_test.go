package archive

// Content says what an anonymised archive has of a table: the names of its columns, or that it is left out.
func Content(table string) (columns []string, isLeftOut bool) {
	for column := range anonymised[table] {
		columns = append(columns, column)
	}
	for _, name := range leftOut {
		isLeftOut = isLeftOut || name == table
	}
	return columns, isLeftOut
}

// Classified are the names of all tables of which Content knows.
func Classified() []string {
	all := append([]string(nil), leftOut...)
	for name := range anonymised {
		all = append(all, name)
	}
	return all
}

// PartRows is how many rows a part has at most.
const PartRows = partRows
