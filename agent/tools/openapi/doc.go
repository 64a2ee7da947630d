// Package openapi offers the operations of services as tools, by their OpenAPI documents. A
// document says what can be asked; where it goes, and with which key, is the configuration's.
//
// Documents are claims of others: they refer to nothing outside themselves, have bounds, and
// reach no host but the configured one. Operations that change are held back until an admin
// accepts them.
//
// The parser of documents stays in here. The package imports agent, agent/safehttp, and the
// packages of tools.
package openapi
