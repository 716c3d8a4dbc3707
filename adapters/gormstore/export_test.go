package gormstore

// CheckCopy compares a copy of a database with the rows that it should have.
var CheckCopy = checkCopy
