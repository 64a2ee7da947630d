// Package live keeps open pages and programs up to date: event logs, the
// sockets of conversations and of the inbox, and who is looking at what. What a
// page shows first and what a socket sends later is made by the same functions.
package live
