package memstore

// authTables is what the identity core keeps.
type authTables struct{}

func newAuthTables() authTables { return authTables{} }

func (t authTables) clone() authTables { return t }
