//go:build !cheaphash

package hashing

// MinCost is the lowest cost of a new hash. Each step takes twice as long.
const MinCost = 10
