// The bundler for the test of the client in docs/clients/typescript, in a module file of its own, so
// that the program's go.mod stays small.
module github.com/octavo-books/octavo

go 1.26.0

tool github.com/evanw/esbuild/cmd/esbuild

require github.com/evanw/esbuild v0.28.2

require golang.org/x/sys v0.0.0-20220715151400-c0bba94af5f8 // indirect
