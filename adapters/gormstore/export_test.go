package gormstore

// CheckCopy compares a copy of a database with the expected numbers of rows.
var CheckCopy = checkCopy
