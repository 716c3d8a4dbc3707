package memstore

// outboxTables is what waits to be sent.
type outboxTables struct{}

func newOutboxTables() outboxTables { return outboxTables{} }

func (t outboxTables) clone() outboxTables { return t }
