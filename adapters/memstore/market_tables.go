package memstore

// marketTables is what the marketplace keeps.
type marketTables struct{}

func newMarketTables() marketTables { return marketTables{} }

func (t marketTables) clone() marketTables { return t }
