package inbox

// MatchesPattern is for the fuzz test.
var MatchesPattern = matchesPattern
