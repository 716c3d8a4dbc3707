// The routers of docs/recipes/receiver.md, for the test of that recipe. They have a module file
// of their own so that go.mod stays small for modules that import the receiver.
module github.com/octavo-books/octavo

go 1.26.0

require (
	github.com/go-chi/chi/v5 v5.5.0
	github.com/labstack/echo/v5 v5.4.4
	golang.org/x/text v0.43.0
)
