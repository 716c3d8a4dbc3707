// The routers of docs/recipes/receiver.md, in a module file of their own, so that the
// program's go.mod stays small for those who import the receiver. The test of the recipe
// builds with it.
module github.com/octavo-books/octavo

go 1.26.0

require (
	github.com/go-chi/chi/v5 v5.5.0
	github.com/labstack/echo/v5 v5.4.4
	golang.org/x/text v0.43.0
)
