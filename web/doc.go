// Package web is the outside of Fusebox: pages, JSON API, event streams and
// websockets over the domain. routes.go and routes_api.go list every route and who may use it;
// wire.go says which handler gets what, and errors.go is the only map of error
// codes to HTTP.
//
// It imports agent, agent/service (which declares what the server needs of a
// database), views, and static; never the store, nor the other parts of agent.
package web
