// Package web is the outside of Fusebox: pages, JSON API, event streams and
// websockets over the domain. routes.go lists every route and who may use it;
// errors.go is the only map of error codes to HTTP; there is one file per
// action, named noun_verb.go, so the list of files is the map of the site.
//
// It imports agent, views and static. What it needs of a database it declares
// in store.go; it never imports the store, nor the parts of agent.
package web
