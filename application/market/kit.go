package market

// Kit is what every activity that changes something needs.
type Kit struct {
	Store Store
	Clock Clock
	IDs   IDs
	Bell  *Bell // rings for those who were notified
}
