module github.com/octavo-books/octavo/docs/clients/go

go 1.25.0

require (
	github.com/Khan/genqlient v0.8.1
	github.com/vektah/gqlparser/v2 v2.5.36
)

require github.com/google/uuid v1.6.0 // indirect
