// Package service is what people command: send, decide, undo, revoke, retry,
// abort. A page, the JSON API and the command line call the same functions.
//
// There is a type for each thing that commands are about. Of those about runs, Messages
// begin them, Approvals let them go on, and Runs end them; Messages hold Runs, which hold
// Approvals, and nothing holds the other way.
//
// The package imports agent, and declares what commands, pages, and the API read and write
// (store.go, store_commands.go, store_admin.go, ports.go); it knows neither HTTP nor SQL.
package service
