package market

// Purger removes the copies of public responses that caches in front have.
type Purger interface {
	// Purge removes the copies with at least one of these keys. Call it after the commit. It does not
	// block. Copies that it fails to remove live as long as their Cache-Control allows.
	Purge(keys ...SurrogateKey)
}
