// Package bench measures a Fusebox server as its clients see it: it starts the
// program on a temporary data folder, posts messages through the JSON API, reads the
// websocket, and times what comes. The model behind the server is an endpoint of this
// package, which is faster than any model, or one that the caller names.
//
// It knows the server from outside only: it imports neither store nor web nor
// agent, so that what it measures is what other programs get.
package bench
