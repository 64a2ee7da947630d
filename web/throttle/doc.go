// Package throttle slows down attempts to guess passwords, and bounds what strangers can
// make the audit log grow by.
package throttle
