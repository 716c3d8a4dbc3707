// Package rawjson validates JSON and finds values in it without decoding it: payloads of
// strangers may be large, and little of them is needed.
package rawjson
